package io.github.distlock.torture;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.github.distlock.torture.worker.WorkerSettings.Load;

/**
 * The settings of a run.
 *
 * @param duration the duration without start and end
 * @param storm the duration of each period with faults
 * @param calm the duration of each pause between them
 * @param replacement the delay after which a dead worker is replaced
 * @param classPathFirst what workers load instead of the library's classes
 * @param impatient whether to end at the first violation
 */
record TortureSettings(long seed, Duration duration, Load load, Set<FaultKind> faults, Duration storm, Duration calm,
		Duration replacement, List<Path> classPathFirst, boolean impatient) {

	static final int JVMS = 4;

}
