package io.github.distlock.torture.check;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.util.function.ThrowingSupplier;

/** All events of one run, in order of time. */
public final class History {

	private final List<Event> events;

	private final List<Attempt> attempts = new ArrayList<>();

	private final List<Fault> faults = new ArrayList<>();

	private final Map<String, Long> deaths = new HashMap<>();

	/** How long sessions outlive their JVMs, 0 if locks have leases. */
	private long sessionNanos;

	private boolean endsEarly;

	/** The granted attempts by source, key and token. */
	private final Map<String, Attempt> grants = new HashMap<>();

	public History(List<Event> events) {
		this.events = events.stream().sorted(Comparator.comparingLong(Event::nanos)).toList();
		Map<String, Attempt> known = new LinkedHashMap<>();
		Map<String, Event> open = new LinkedHashMap<>();
		for (Event event : this.events) {
			String id = event.source() + "#" + event.text("a");
			switch (event.kind()) {
				case START -> known.put(id, new Attempt(event, this.endsEarly));
				case WAITING, GRANTED, CHECK, ENTER, EXIT, RELEASE, RELEASED, ENDED -> {
					Attempt attempt = known.get(id);
					if (attempt == null) {
						throw new IllegalStateException("An event of an attempt that never began: " + event);
					}
					attempt.add(event);
				}
				case FAULT -> open.put(event.text("id"), event);
				case HEALED -> {
					Event begin = open.remove(event.text("id"));
					if (begin != null) {
						this.faults.add(fault(begin, event.nanos()));
					}
				}
				case KILLED -> this.deaths.put(event.text("worker"), event.nanos());
				case ENDS_EARLY -> this.endsEarly = true;
				case SESSIONS -> this.sessionNanos = event.number("millis") * 1_000_000;
				default -> {
				}
			}
		}
		open.values().forEach((begin) -> this.faults.add(fault(begin, Long.MAX_VALUE)));
		this.attempts.addAll(known.values());
		this.attempts.stream()
			.filter(Attempt::isGranted)
			.forEach((attempt) -> this.grants.put(grant(attempt, attempt.token), attempt));
	}

	private static String grant(Attempt attempt, long token) {
		return attempt.worker() + "|" + attempt.key() + "|" + token;
	}

	/**
	 * The earliest time at which the store may have been asked for the grant under which
	 * an attempt entered. A lock that was handed on inside a JVM, with the next token,
	 * still has the grant of the holder before: data that the store lost since then was
	 * lost for both.
	 */
	public long asked(Attempt attempt) {
		Attempt first = attempt;
		Attempt before = first;
		while (before != null) {
			first = before;
			before = this.grants.get(grant(first, first.token - 1));
		}
		return Math.min(attempt.started, first.started);
	}

	private static Fault fault(Event begin, long end) {
		return new Fault(begin.nanos(), end, begin.text("name"), begin.text("worker"),
				begin.text("loses").equals("true"));
	}

	/**
	 * Read all files of a folder whose names end with {@code .log}, up to some time:
	 * those of a history that is still being written are read one after the other, so
	 * only events before a common end are complete. An incomplete last line comes from a
	 * JVM that was killed, and is ignored.
	 */
	public static History read(Path folder, long until) {
		List<Event> events = new ArrayList<>();
		try (Stream<Path> files = ThrowingSupplier.of(() -> Files.list(folder)).get()) {
			for (Path file : files.filter((path) -> path.toString().endsWith(".log")).sorted().toList()) {
				String source = file.getFileName().toString().replace(".log", "");
				String text = ThrowingSupplier.of(() -> Files.readString(file)).get();
				text.substring(0, text.lastIndexOf('\n') + 1)
					.lines()
					.map((line) -> Event.parse(source, line))
					.filter((event) -> event.nanos() <= until)
					.forEach(events::add);
			}
		}
		return new History(events);
	}

	public List<Event> events(Kind kind) {
		return this.events.stream().filter((event) -> event.kind() == kind).toList();
	}

	public List<Attempt> attempts() {
		return this.attempts;
	}

	public Map<String, List<Attempt>> attemptsByKey() {
		return this.attempts.stream().collect(Collectors.groupingBy(Attempt::key, TreeMap::new, Collectors.toList()));
	}

	public List<Fault> faults() {
		return this.faults;
	}

	/** When a worker was killed, or {@link Attempt#NEVER}. */
	public long death(String worker) {
		return this.deaths.getOrDefault(worker, Attempt.NEVER);
	}

	/** When an attempt no longer waited, in whatever way. */
	public long endOfWait(Attempt attempt) {
		return Math.min(Math.min(attempt.granted, attempt.ended), Math.min(death(attempt.worker()), end()));
	}

	/** How long the store keeps the lock of an attempt after the death of its JVM. */
	public long keptNanos(Attempt attempt) {
		return (this.sessionNanos > 0) ? this.sessionNanos : attempt.leaseNanos();
	}

	/** Whether the store lost data at some moment between two others. */
	public boolean lostData(long from, long to) {
		return this.faults.stream().anyMatch((fault) -> fault.loses() && fault.end() >= from && fault.begin() <= to);
	}

	public long end() {
		return this.events.isEmpty() ? 0 : this.events.get(this.events.size() - 1).nanos();
	}

	public long begin() {
		return this.events.isEmpty() ? 0 : this.events.get(0).nanos();
	}

	/**
	 * A fault that the nemesis injected.
	 *
	 * @param end when the system had recovered
	 * @param name the kind of fault
	 * @param worker the affected worker; {@code all} for all
	 * @param loses whether the store lost data
	 */
	public record Fault(long begin, long end, String name, String worker, boolean loses) {
	}

}
