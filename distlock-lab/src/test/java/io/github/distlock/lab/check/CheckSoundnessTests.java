package io.github.distlock.lab.check;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.github.distlock.lab.check.Finding.Kind;
import io.github.distlock.lab.check.History.Options;
import io.github.distlock.lab.check.History.TrueHold;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/**
 * What the check says of random histories, compared with the truth. With
 * {@code -Dcheck.seeds=1000} more of them.
 */
class CheckSoundnessTests {

	private static final int SEEDS = Integer.getInteger("check.seeds", 2);

	/** Of rounding, when the true times become those of a JVM. */
	private static final long ROUNDING = 5;

	private final Path folder;

	CheckSoundnessTests(@TempDir Path folder) {
		this.folder = folder;
	}

	@ParameterizedTest
	@CsvSource({ "false, 0, false", "false, 0, true", "false, 1, false", "true, 0, false", "true, 0, true",
			"true, 1, false", "true, 2, true" })
	void noTrueOverlapIsCalledDisjointAndNoneIsInvented(boolean faults, int jumps, boolean cuts) throws IOException {
		List<Kind> kinds = new ArrayList<>();
		for (int seed = 1; seed <= SEEDS; seed++) {
			History history = new History(seed, new Options(faults, jumps, cuts));
			HoldChecker checker = new HoldChecker(200e-6);
			checker.check(new Recordings(history.write(this.folder)).holds());
			if (jumps > 0 && checker.unplaced() > 0) {
				// A clock that was set back gives no times: the check says "not known".
				continue;
			}
			compare("seed " + seed, history.recorded(), checker);
			checker.findings().forEach((finding) -> kinds.add(finding.kind()));
			assertThat(checker.unplaced()).as("seed %d", seed).isZero();
		}
		assertThat(kinds.contains(Kind.OVERLAP)).isEqualTo(faults);
		assertThat(kinds.contains(Kind.TOKEN) && !faults).isFalse();
	}

	private static void compare(String seed, List<TrueHold> holds, HoldChecker checker) {
		Set<String> disputed = new HashSet<>();
		Set<String> overlapping = new HashSet<>();
		for (Finding finding : checker.findings()) {
			String later = name(finding.first().key(), Math.max(finding.first().token(), finding.second().token()));
			String pair = later + ' ' + Math.min(finding.first().token(), finding.second().token());
			disputed.addAll(List.of(later, pair));
			if (finding.kind() == Kind.OVERLAP) {
				overlapping.add(pair);
			}
		}
		for (int i = 0; i < holds.size(); i++) {
			TrueHold hold = holds.get(i);
			String later = name(hold.key(), hold.token());
			int readers = 0;
			// Ordered by key and token.
			for (int k = i - 1; k >= 0 && holds.get(k).key().equals(hold.key()); k--) {
				TrueHold other = holds.get(k);
				long overlap = Math.min(hold.to(), other.to()) - Math.max(hold.from(), other.from());
				if (hold.permits() > 0 && other.permits() > 0) {
					readers += (overlap > ROUNDING) ? 1 : 0;
					continue;
				}
				if (overlap > ROUNDING && !disputed.contains(later + ' ' + other.token())) {
					fail("%s: %s and %s overlap by %d ns", seed, other, hold, overlap);
				}
				if (overlap < -ROUNDING && overlapping.contains(later + ' ' + other.token())) {
					fail("%s: %s and %s are %d ns apart", seed, other, hold, -overlap);
				}
			}
			if (hold.permits() > 0 && readers >= hold.permits() && !disputed.contains(later)) {
				fail("%s: %s is beside %d others", seed, hold, readers);
			}
		}
	}

	private static String name(String key, long token) {
		return key + ' ' + token;
	}

}
