package io.github.distlock.torture.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.distlock.torture.history.Attempt;
import io.github.distlock.torture.history.History;

/**
 * R2: without faults, later readers do not starve a waiting writer. Some readers may
 * enter before it: a writer waits in the queue of its JVM first, and after each turn of
 * that JVM the tickets queued meanwhile are next.
 */
final class WriterStarvationRule implements Rule {

	private static final Duration RECOVERY = Duration.ofSeconds(3);

	/** Each of 4 x 4 threads, after each turn of a JVM with 4 threads. */
	private static final int MOST = 16 * 4;

	@Override
	public List<Violation> check(History history) {
		FaultTimes faultTimes = new FaultTimes(history.faults(), (fault) -> true, RECOVERY);
		List<Violation> violations = new ArrayList<>();
		history.attemptsByKey().values().forEach((attempts) -> {
			List<Attempt> readers = attempts.stream()
				.filter((attempt) -> attempt.reads() && attempt.isGranted())
				.toList();
			for (Attempt writer : attempts) {
				long end = Math.min(Math.min(writer.granted(), writer.ended()),
						Math.min(history.death(writer.worker()), history.end()));
				if (writer.reads() || writer.waiting() >= end
						|| faultTimes.faultFreeNanos(writer.waiting(), end) < end - writer.waiting()) {
					continue;
				}
				long later = readers.stream()
					.filter((reader) -> reader.started() > writer.waiting() && reader.granted() < end)
					.count();
				if (later > MOST) {
					violations.add(Violation.of("R2", later + " readers who called later entered '" + writer.key()
							+ "' while " + writer + " waited, more than " + MOST, writer));
				}
			}
		});
		return violations;
	}

}
