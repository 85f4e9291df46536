package io.github.distlock.benchmarks.workloads;

import java.time.Duration;

import io.github.distlock.benchmarks.report.Chapter;

/**
 * What precedes the slices of a contender.
 *
 * @param time how long it locks before it is measured
 * @param cold whether each slice has JVMs of its own, which host one contender only and
 * end after it; otherwise all contenders share JVMs for all rounds
 */
public record WarmUp(Duration time, boolean cold) {

	Chapter named(Chapter chapter) {
		return this.cold ? chapter.named(chapter.id() + "-cold",
				"; each slice in new JVMs, after %d ms".formatted(this.time.toMillis())) : chapter;
	}

}
