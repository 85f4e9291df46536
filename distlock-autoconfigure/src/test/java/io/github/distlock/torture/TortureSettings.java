package io.github.distlock.torture;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.github.distlock.torture.nemesis.FaultKind;
import io.github.distlock.torture.worker.WorkerSettings.Load;

/**
 * What a run does.
 *
 * @param seed what all randomness begins with
 * @param duration how long, without start and end
 * @param jvms how many workers there are
 * @param load what each of them does
 * @param faults what the nemesis may do
 * @param storm how long it does so at a time
 * @param calm how long it rests then
 * @param replacement after which time a dead worker is replaced
 * @param classPathFirst what workers load before the library, and instead of it
 * @param impatient whether to end as soon as a promise was broken
 */
public record TortureSettings(long seed, Duration duration, int jvms, Load load, Set<FaultKind> faults, Duration storm,
		Duration calm, Duration replacement, List<Path> classPathFirst, boolean impatient) {

	/**
	 * Everything, in turns.
	 * @param seed what all randomness begins with
	 * @param duration how long
	 * @return the settings
	 */
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
