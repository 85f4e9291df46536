package io.github.distlock.torture.check;

import java.util.ArrayList;
import java.util.List;

import io.github.distlock.torture.history.Event;
import io.github.distlock.torture.history.History;

/**
 * A history written by hand, in milliseconds.
 */
final class TestHistory {

	private static final long ORIGIN = 1_000_000_000L;

	private final List<Event> events = new ArrayList<>();

	/** One event: source, time in ms, and the rest as in a file. */
	TestHistory add(String line) {
		String[] parts = line.split(" ", 3);
		String rest = parts[2].replaceAll("rem=(\\d+)", "rem=$1000000");
		this.events.add(Event.parse(parts[0], nanos(Long.parseLong(parts[1])) + " " + rest));
		return this;
	}

	/** A call that waits. */
	TestHistory waits(String worker, int attempt, long from) {
		return add(worker + " " + from + " START a=" + attempt + " key=k how=LEASE lease=1000 wait=-1 fair=false")
			.add(worker + " " + from + " WAITING a=" + attempt);
	}

	/** A call to read that waits. */
	TestHistory waitsToRead(String worker, int attempt, long from) {
		return add(worker + " " + from + " START a=" + attempt
				+ " key=k how=LEASE lease=1000 wait=-1 fair=false mode=READ")
			.add(worker + " " + from + " WAITING a=" + attempt);
	}

	/** A complete stay of a reader. */
	TestHistory reads(String worker, int attempt, long from, long to, long token) {
		return waitsToRead(worker, attempt, from).enters(worker, attempt, from, token)
			.leaves(worker, attempt, to, "ok");
	}

	/** The call returns with the lock and a lease of a second. */
	TestHistory enters(String worker, int attempt, long at, long token) {
		return add(worker + " " + at + " GRANTED a=" + attempt + " token=" + token + " rem=1000")
			.add(worker + " " + at + " ENTER a=" + attempt);
	}

	/** The lock is released. */
	TestHistory leaves(String worker, int attempt, long at, String how) {
		return add(worker + " " + at + " EXIT a=" + attempt).add(worker + " " + at + " RELEASE a=" + attempt)
			.add(worker + " " + (at + 1) + " RELEASED a=" + attempt + " how=" + how);
	}

	/** A complete stay. */
	TestHistory stays(String worker, int attempt, long from, long to, long token) {
		return waits(worker, attempt, from).enters(worker, attempt, from, token).leaves(worker, attempt, to, "ok");
	}

	/** The store loses its data. */
	TestHistory losesData(long at) {
		return add("nemesis " + at + " FAULT id=" + at + " name=FLUSH_ALL worker=all loses=true")
			.add("nemesis " + at + " HEALED id=" + at);
	}

	TestHistory fault(String name, String worker, long from, long to) {
		return add("nemesis " + from + " FAULT id=" + from + " name=" + name + " worker=" + worker + " loses=false")
			.add("nemesis " + to + " HEALED id=" + from);
	}

	TestHistory dies(String worker, long at) {
		return add("nemesis " + at + " KILLED worker=" + worker);
	}

	/** The history lasts until then, without further events. */
	TestHistory until(long at) {
		return add("store " + at + " STORE key=other owner= last=0");
	}

	/** The rules that the checker reports as violated. */
	List<String> broken() {
		return Checker.check(new History(this.events)).stream().map(Violation::rule).distinct().toList();
	}

	private static long nanos(long millis) {
		return ORIGIN + millis * 1_000_000;
	}

}
