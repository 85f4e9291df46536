package io.github.distlock.model;

/** Tickets are small numbers: the entry that made them, and their number there. */
final class ModelTicket {

	private static final int MAX_NUMBER = 15;

	private ModelTicket() {
	}

	static int of(int entry, int number) {
		if (number > MAX_NUMBER) {
			throw new IllegalStateException("Too many tickets of one entry");
		}
		return entry << 4 | number;
	}

	static int entry(int ticket) {
		return ticket >> 4;
	}

	static int number(int ticket) {
		return ticket & MAX_NUMBER;
	}

	static String text(int ticket) {
		return (ticket == 0) ? "-" : entryName(entry(ticket)) + number(ticket);
	}

	static String entryName(int entry) {
		return String.valueOf((char) ('A' + entry));
	}

}
