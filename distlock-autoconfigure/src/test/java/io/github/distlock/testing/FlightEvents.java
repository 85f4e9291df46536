package io.github.distlock.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import org.springframework.util.function.ThrowingSupplier;

/**
 * A recording of the JDK Flight Recorder, with the events of this library as they are by
 * default, and waits of any length.
 */
public final class FlightEvents implements AutoCloseable {

	private final Recording recording = new Recording();

	public static FlightEvents start() {
		FlightEvents events = new FlightEvents();
		events.recording.enable("distlock.Wait").withoutThreshold();
		events.recording.start();
		return events;
	}

	/** Return the events of a lock so far, in the order in which they were written. */
	public List<RecordedEvent> of(String label) {
		return ThrowingSupplier.of(() -> {
			Path file = Files.createTempFile("distlock", ".jfr");
			try {
				this.recording.dump(file);
				return RecordingFile.readAllEvents(file)
					.stream()
					.filter((event) -> event.getEventType().getName().startsWith("distlock."))
					.filter((event) -> event.getString("label").equals(label))
					.sorted(Comparator.comparing(RecordedEvent::getEndTime))
					.toList();
			}
			finally {
				Files.delete(file);
			}
		}).get();
	}

	/** Return those of one name, without the prefix that all have. */
	public List<RecordedEvent> of(String label, String name) {
		return of(label).stream().filter((event) -> event.getEventType().getName().equals("distlock." + name)).toList();
	}

	@Override
	public void close() {
		this.recording.close();
	}

}
