package io.github.distlock.lab.check;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.github.distlock.lab.check.Chunks.Chunk;
import io.github.distlock.lab.check.Jvm.Pause;
import io.github.distlock.lab.check.ServerClock.Reading;
import jdk.jfr.EventType;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * Reads recordings of the flight recorder.
 */
final class Recordings {

	private static final String GRANT = "distlock.Grant";

	private static final String END = "distlock.GrantEnd";

	private static final String LOSS = "distlock.Loss";

	private static final String RENEWAL = "distlock.Renewal";

	private static final List<String> EVENTS_OF_HOLDS = List.of(GRANT, END, LOSS, RENEWAL);

	private static final String SETTING = "jdk.ActiveSetting";

	private static final String DATA_LOSS = "jdk.DataLoss";

	private static final Set<String> OTHER_EVENTS = Set.of(SETTING, DATA_LOSS, "jdk.GCPhasePause",
			"jdk.ExecuteVMOperation");

	private final Map<String, Jvm> jvms = new HashMap<>();

	/** By instance and number of the hold. */
	private final Map<String, List<Seen>> seen = new LinkedHashMap<>();

	private final Set<String> gaps = new TreeSet<>();

	private final List<String> times = new ArrayList<>();

	private final List<Hold> holds;

	/**
	 * Read files.
	 * @param files the recordings, in any order; a JVM may have several
	 * @throws IOException if a file cannot be read
	 */
	Recordings(List<Path> files) throws IOException {
		for (Path file : files) {
			read(file);
		}
		for (Jvm jvm : Set.copyOf(this.jvms.values())) {
			String gap = Chunks.gap(jvm.chunks());
			if (gap != null) {
				this.gaps.add(jvm + ": nothing is recorded " + gap);
			}
		}
		this.holds = this.seen.values().stream().map(Recordings::hold).toList();
		readClocks();
	}

	/**
	 * Return the holds.
	 */
	List<Hold> holds() {
		return this.holds;
	}

	/**
	 * Return what may be missing in the recordings, in words.
	 */
	Set<String> gaps() {
		return this.gaps;
	}

	/**
	 * Return the times of each file, in words.
	 */
	List<String> times() {
		return this.times;
	}

	private void read(Path file) throws IOException {
		Path copy = Files.createTempFile("check", ".jfr");
		try {
			String name = String.valueOf(file.getFileName());
			List<Chunk> chunks = Chunks.read(file);
			Optional<Chunk> incomplete = chunks.stream().filter((chunk) -> !chunk.complete()).findFirst();
			if (incomplete.isPresent()) {
				Chunks.complete(file, incomplete.get(), copy);
				this.gaps.add(name + " ends in the middle: its last second may be missing");
			}
			read(name, incomplete.isPresent() ? copy : file, chunks);
			this.times.add("%s: from %s to %s, by the clock of its host".formatted(name,
					Chunks.time(chunks.get(0).start()), Chunks.time(chunks.get(chunks.size() - 1).end())));
		}
		finally {
			Files.delete(copy);
		}
	}

	private void read(String name, Path file, List<Chunk> chunks) throws IOException {
		List<RecordedEvent> events = new ArrayList<>();
		List<RecordedEvent> others = new ArrayList<>();
		Map<Long, String> types = new HashMap<>();
		try (RecordingFile recording = new RecordingFile(file)) {
			while (recording.hasMoreEvents()) {
				RecordedEvent event = recording.readEvent();
				if (EVENTS_OF_HOLDS.contains(type(event))) {
					events.add(event);
				}
				else if (OTHER_EVENTS.contains(type(event))) {
					others.add(event);
				}
			}
			for (EventType type : recording.readEventTypes()) {
				types.put(type.getId(), type.getName());
			}
		}
		List<String> gaps = findGaps(name, others, types);
		this.gaps.addAll(gaps);
		boolean killed = chunks.stream().anyMatch((chunk) -> !chunk.complete());
		// A file is of one JVM. Files with the same instance of a registry are, too.
		Set<String> instances = events.stream().map((event) -> event.getString("instance")).collect(Collectors.toSet());
		Jvm jvm = instances.stream()
			.map(this.jvms::get)
			.filter(Objects::nonNull)
			.findFirst()
			.orElseGet(() -> new Jvm(name));
		instances.forEach((instance) -> this.jvms.put(instance, jvm));
		// Also a file that names none.
		this.jvms.put(file.toString(), jvm);
		others.forEach((event) -> readPause(jvm, event));
		jvm.recorded(chunks);
		// An end before the last event is recorded, unless events may be missing.
		boolean whole = gaps.isEmpty() && !killed && Chunks.gap(chunks) == null;
		long last = whole ? events.stream().mapToLong(Recordings::moment).max().orElse(0) : Long.MIN_VALUE;
		events.forEach((event) -> this.seen
			.computeIfAbsent(event.getString("instance") + ' ' + event.getLong("hold"), (hold) -> new ArrayList<>())
			.add(new Seen(jvm, killed, last, event)));
	}

	private static List<String> findGaps(String name, List<RecordedEvent> events, Map<Long, String> types) {
		List<String> gaps = new ArrayList<>();
		Set<String> described = new HashSet<>();
		for (RecordedEvent event : events) {
			if (type(event).equals(DATA_LOSS)) {
				gaps.add(name + " has lost events (jdk.DataLoss)");
			}
			boolean sets = type(event).equals(SETTING);
			String of = sets ? types.getOrDefault(event.getLong("id"), "") : "";
			String setting = sets ? event.getString("name") : "";
			String value = sets ? event.getString("value") : "";
			if (setting.equals("enabled") && value.equals("true")) {
				described.add(of);
			}
			if (EVENTS_OF_HOLDS.contains(of) && (setting.equals("enabled") && !value.equals("true")
					|| setting.equals("threshold") && !value.startsWith("0 "))) {
				gaps.add("%s has not all events: %s#%s=%s".formatted(name, of, setting, value));
			}
		}
		if (!described.contains(GRANT)) {
			gaps.add("%s has no setting of %s: record that event and %s".formatted(name, GRANT, SETTING));
		}
		else if (!described.contains(DATA_LOSS)) {
			gaps.add("%s would not tell of lost events: record %s".formatted(name, DATA_LOSS));
		}
		return gaps;
	}

	private static void readPause(Jvm jvm, RecordedEvent event) {
		boolean collection = type(event).equals("jdk.GCPhasePause");
		if (collection || type(event).equals("jdk.ExecuteVMOperation") && event.getBoolean("safepoint")) {
			jvm.paused(new Pause(event.getString(collection ? "name" : "operation"), nanos(event.getStartTime()),
					event.getDuration().toNanos()));
		}
	}

	/**
	 * Every event says when its hold began, the grant most precisely. A hold whose end is
	 * not recorded may have been renewed after that, unless its JVM was killed.
	 */
	private static Hold hold(List<Seen> seen) {
		Seen any = seen.get(0);
		RecordedEvent event = find(seen, GRANT).orElse(any.event);
		Optional<RecordedEvent> end = find(seen, END);
		long start = event.getLong("answeredNanos");
		long valid = end.map((each) -> each.getLong("validUntilNanos"))
			.orElseGet(
					() -> seen.stream().mapToLong((each) -> each.event.getLong("validUntilNanos")).max().orElse(start));
		boolean killed = seen.stream().anyMatch(Seen::killed);
		long until = end.map(Recordings::moment)
			.orElse(killed ? Math.max(start, Math.min(valid, Hold.FOREVER)) : Hold.FOREVER);
		long known = end.map(Recordings::moment).orElse(seen.get(seen.size() - 1).last);
		long surely = Math.max(start, Math.min(valid, known));
		String outcome = end.map((each) -> each.getString("outcome")).orElse("its end is not recorded");
		String cause = find(seen, LOSS).or(() -> end).orElse(event).getString("cause");
		String key = event.getString("keyHash");
		String text = event.getString("key");
		return new Hold(any.jvm, event.getString("registry"), key,
				(text != null) ? text : event.getString("label") + " #" + key, event.getString("mode").equals("READ"),
				event.getInt("permits"), event.getLong("token"), start, surely, until,
				(cause != null) ? outcome + ": " + cause : outcome, nanos(event.getStartTime()) - moment(event));
	}

	/** Only a token that comes from the server's clock says its time. */
	private void readClocks() {
		this.seen.values().forEach((seen) -> find(seen, GRANT).ifPresent((grant) -> {
			if (grant.getBoolean("firstToken")) {
				seen.get(0).jvm.read(grant.getString("registry"), new Reading(grant.getLong("askedNanos"),
						grant.getLong("answeredNanos"), grant.getLong("token")));
			}
		}));
	}

	private static Optional<RecordedEvent> find(List<Seen> seen, String type) {
		return seen.stream().map(Seen::event).filter((event) -> type(event).equals(type)).findFirst();
	}

	private static String type(RecordedEvent event) {
		return event.getEventType().getName();
	}

	private static long nanos(Instant time) {
		return time.getEpochSecond() * 1_000_000_000 + time.getNano();
	}

	private static long moment(RecordedEvent event) {
		return event.getLong(type(event).equals(GRANT) ? "answeredNanos" : "atNanos");
	}

	/**
	 * An event of a hold.
	 *
	 * @param jvm its JVM
	 * @param killed whether its file ends in the middle
	 * @param last until when no end is missing in its file
	 * @param event the event
	 */
	private record Seen(Jvm jvm, boolean killed, long last, RecordedEvent event) {
	}

}
