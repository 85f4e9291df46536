package io.github.distlock.torture;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.github.distlock.torture.worker.WorkerSettings.Load;

/**
 * The settings of a run.
 *
 * @param seed the seed of all random numbers
 * @param duration the duration without start and end
 * @param jvms the number of workers
 * @param load the load of each worker
 * @param faults the faults that the nemesis may inject
 * @param storm the duration of each period with faults
 * @param calm the duration of each pause between them
 * @param replacement the delay after which a dead worker is replaced
 * @param classPathFirst what workers load instead of the library's classes
 * @param impatient whether to end at the first violation
 */
public record TortureSettings(long seed, Duration duration, int jvms, Load load, Set<FaultKind> faults, Duration storm,
		Duration calm, Duration replacement, List<Path> classPathFirst, boolean impatient) {

	/** All faults, in turns. */
	public static TortureSettings usual(long seed, Duration duration) {
		return new TortureSettings(seed, duration, 4, Load.USUAL, FaultKind.ALL, Duration.ofSeconds(9),
				Duration.ofSeconds(11), Duration.ofMillis(300), List.of(), false);
	}

	TortureSettings withLoad(Load changed) {
		return new TortureSettings(this.seed, this.duration, this.jvms, changed, this.faults, this.storm, this.calm,
				this.replacement, this.classPathFirst, this.impatient);
	}

	TortureSettings withFaults(Set<FaultKind> changed, Duration newStorm, Duration newCalm, Duration newReplacement) {
		return new TortureSettings(this.seed, this.duration, this.jvms, this.load, changed, newStorm, newCalm,
				newReplacement, this.classPathFirst, this.impatient);
	}

	TortureSettings against(List<Path> mutant) {
		return new TortureSettings(this.seed, this.duration, this.jvms, this.load, this.faults, this.storm, this.calm,
				this.replacement, mutant, true);
	}

}
