package io.github.distlock.lab.check;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

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

	private static final Set<String> OTHER_EVENTS = Set.of(SETTING, "jdk.DataLoss", "jdk.GCPhasePause",
			"jdk.ExecuteVMOperation");

	private final Map<String, Jvm> jvms = new HashMap<>();

	/** By instance and number of the hold. */
	private final Map<String, List<Seen>> seen = new LinkedHashMap<>();

	private final Set<String> gaps = new TreeSet<>();

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

	private void read(Path file) throws IOException {
		Path copy = Files.createTempFile("check", ".jfr");
		try {
			String name = String.valueOf(file.getFileName());
			boolean copied = Chunks.complete(file, copy);
			if (copied) {
				this.gaps.add(name + " ends in the middle: its last second may be missing");
			}
			read(name, copied ? copy : file);
		}
		finally {
			Files.delete(copy);
		}
	}

	private void read(String name, Path file) throws IOException {
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
		findGaps(name, others, types);
		// A file is of one JVM. Files with the same instance of a registry are, too.
		Set<String> instances = events.stream().map((event) -> event.getString("instance")).collect(Collectors.toSet());
		Jvm jvm = instances.stream()
			.map(this.jvms::get)
			.filter(Objects::nonNull)
			.findFirst()
			.orElseGet(() -> new Jvm(name));
		instances.forEach((instance) -> this.jvms.put(instance, jvm));
		others.forEach((event) -> readPause(jvm, event));
		long last = events.stream().mapToLong(Recordings::moment).max().orElse(0);
		events.forEach((event) -> this.seen
			.computeIfAbsent(event.getString("instance") + ' ' + event.getLong("hold"), (hold) -> new ArrayList<>())
			.add(new Seen(jvm, last, event)));
	}

	private void findGaps(String name, List<RecordedEvent> events, Map<Long, String> types) {
		boolean described = false;
		for (RecordedEvent event : events) {
			if (type(event).equals("jdk.DataLoss")) {
				this.gaps.add(name + " has lost events (jdk.DataLoss)");
			}
			String of = type(event).equals(SETTING) ? types.get(event.getLong("id")) : null;
			if (of != null && EVENTS_OF_HOLDS.contains(of)) {
				described |= of.equals(GRANT);
				String setting = event.getString("name");
				String value = event.getString("value");
				if (setting.equals("enabled") && !value.equals("true")
						|| setting.equals("threshold") && !value.startsWith("0 ")) {
					this.gaps.add("%s has not all events: %s#%s=%s".formatted(name, of, setting, value));
				}
			}
		}
		if (!described) {
			this.gaps.add("%s has no setting of %s: record that event and %s".formatted(name, GRANT, SETTING));
		}
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
	 * not recorded may have lasted as long as it was valid.
	 */
	private static Hold hold(List<Seen> seen) {
		Seen any = seen.get(0);
		RecordedEvent event = find(seen, GRANT).orElse(any.event);
		Optional<RecordedEvent> end = find(seen, END);
		long start = event.getLong("answeredNanos");
		long valid = seen.stream().mapToLong((each) -> each.event.getLong("validUntilNanos")).max().orElse(start);
		long until = end.map(Recordings::moment).orElse(Math.max(valid, start));
		long surely = end.map(Recordings::moment).orElse(Math.min(until, seen.get(seen.size() - 1).last));
		String outcome = end.map((each) -> each.getString("outcome")).orElse("its end is not recorded");
		String cause = find(seen, LOSS).or(() -> end).orElse(event).getString("cause");
		String key = event.getString("keyHash");
		String text = event.getString("key");
		return new Hold(any.jvm, event.getString("registry"), key,
				(text != null) ? text : event.getString("label") + " #" + key, event.getString("mode").equals("READ"),
				event.getInt("permits"), event.getLong("token"), start, surely, until,
				(cause != null) ? outcome + ": " + cause : outcome, nanos(event.getStartTime()) - moment(event));
	}

	/**
	 * Only a token that comes from the server's clock says its time: not one that is the
	 * token before it and 1.
	 */
	private void readClocks() {
		Map<String, Set<Long>> tokens = this.holds.stream()
			.collect(Collectors.groupingBy(Hold::key, Collectors.mapping(Hold::token, Collectors.toSet())));
		this.seen.values().forEach((seen) -> find(seen, GRANT).ifPresent((grant) -> {
			long token = grant.getLong("token");
			boolean follows = tokens.getOrDefault(grant.getString("keyHash"), Set.of()).contains(token - 1);
			if (grant.getBoolean("firstToken") && !follows) {
				seen.get(0).jvm.read(grant.getString("registry"),
						new Reading(grant.getLong("askedNanos"), grant.getLong("answeredNanos"), token));
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
	 * @param last the last moment of its file
	 * @param event the event
	 */
	private record Seen(Jvm jvm, long last, RecordedEvent event) {
	}

}
