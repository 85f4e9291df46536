package io.github.distlock.torture.check;

import java.util.ArrayList;
import java.util.List;

import io.github.distlock.torture.history.Event;
import io.github.distlock.torture.history.History;

/**
 * A history written by hand, in milliseconds. A lease lasts for a second.
 */
final class TestHistory {

	private static final long ORIGIN = 1_000_000_000L;

	private final List<Event> events = new ArrayList<>();

	/**
	 * Add what one step says: {@code w0#1 stays 0 50 10} is the whole stay of the first
	 * call of a worker from 0 to 50 with the token 10, {@code reads} that of a reader.
	 * Its parts are {@code waits 0} or {@code waitsToRead 0}, {@code enters 0 10} and
	 * {@code leaves 50 ok}. {@code access 10 11 w1#1 read true} is an access to the
	 * resource with the token 11, and whether that accepts it. {@code losesData 20},
	 * {@code fault STALL all 1000 6000}, {@code dies w0 20}, and {@code until 9000}, when
	 * the history ends, concern the world. Everything else is a line of a file.
	 */
	TestHistory step(String step) {
		String[] words = step.split(" ");
		String worker = words[0].replaceAll("#.*", "");
		String call = words[0].replaceAll(".*#", "");
		return switch (words[0].contains("#") ? words[1] : words[0]) {
			case "stays",
					"reads" ->
				step(words[0] + (words[1].equals("reads") ? " waitsToRead " : " waits ") + words[2])
					.step(words[0] + " enters " + words[2] + " " + words[4])
					.step(words[0] + " leaves " + words[3] + " ok");
			case "waits", "waitsToRead" -> add(worker + " " + words[2] + " START a=" + call
					+ " key=k how=LEASE lease=1000 wait=-1 fair=false" + (words[1].equals("waits") ? "" : " mode=READ"))
				.add(worker + " " + words[2] + " WAITING a=" + call);
			case "enters" -> add(worker + " " + words[2] + " GRANTED a=" + call + " token=" + words[3] + " rem=1000")
				.add(worker + " " + words[2] + " ENTER a=" + call);
			case "leaves" ->
				add(worker + " " + words[2] + " EXIT a=" + call).add(worker + " " + words[2] + " RELEASE a=" + call)
					.add(worker + " " + (Long.parseLong(words[2]) + 1) + " RELEASED a=" + call + " how=" + words[3]);
			case "access" -> add("resource " + words[1] + " ACCESS key=k token=" + words[2] + " attempt=" + words[3]
					+ " op=" + words[4] + " ok=" + words[5]);
			case "losesData" -> fault("FLUSH_ALL", "all", words[1], words[1], true);
			case "fault" -> fault(words[1], words[2], words[3], words[4], false);
			case "dies" -> add("nemesis " + words[2] + " KILLED worker=" + words[1]);
			case "until" -> add("store " + words[1] + " STORE key=other owner= last=0");
			default -> add(step);
		};
	}

	private TestHistory fault(String name, String worker, String from, String to, boolean loses) {
		return add("nemesis " + from + " FAULT id=" + from + " name=" + name + " worker=" + worker + " loses=" + loses)
			.add("nemesis " + to + " HEALED id=" + from);
	}

	/** One event: source, time in ms, and the rest as in a file. */
	private TestHistory add(String line) {
		String[] parts = line.split(" ", 3);
		String rest = parts[2].replaceAll("rem=(\\d+)", "rem=$1000000");
		this.events.add(Event.parse(parts[0], (ORIGIN + Long.parseLong(parts[1]) * 1_000_000) + " " + rest));
		return this;
	}

	/** The rules that the checker reports as violated. */
	List<String> broken() {
		return Checker.check(new History(this.events)).stream().map(Violation::rule).distinct().toList();
	}

}
