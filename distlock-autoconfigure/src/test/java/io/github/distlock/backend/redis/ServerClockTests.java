package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.stream.Stream;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.StepCase;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The validity of grants of five seconds, computed from the server's time: its clock is
 * observed by a command that is sent now, or when a step says, and a grant is judged.
 */
class ServerClockTests {

	private static final long SERVER = 1_800_000_000_000_000L;

	private static final String CASES = """
			without a baseline there is no validity
			  judge 0s => none
			  observe 0s; forget; judge 0s => none
			a grant counts from the time of the server
			  observe 0s; pass 3s; judge 2s => 3950ms
			  pass 4s; left => passed
			a message that waited in the inbox has passed
			  observe 0s; pass 20s; judge 10s => passed
			a grant in the future has no validity
			  observe 0s; pass 1s; judge 1500ms => none
			a reply to a command that waited before it ran makes a deadline earlier and never later
			  send; pass 700ms; observe 600ms; judge 600ms => 4250ms
			a faster reply is a tighter baseline and replaces it, and a slower one after it does not
			  send; pass 700ms; observe 600ms; send; observe 700ms; judge 600ms => 4850ms
			  send; observe 900ms; judge 600ms => 4850ms
			a grant from before a suspension does not count
			  observe 0s; pass 1s; suspend 10m; judge 900ms => passed
			""";

	private final ManualClock time = new ManualClock();

	private final ServerClock clock = new ServerClock();

	private TimeSource.Instant sent = this.time.now();

	private @Nullable Validity validity;

	static Stream<StepCase> cases() {
		return StepCase.of(CASES);
	}

	@ParameterizedTest
	@MethodSource("cases")
	void theTimeOfTheServerDecides(StepCase each) {
		each.check(this::steps);
	}

	private String steps(String steps) {
		for (String step : steps.strip().split("; ")) {
			String[] words = step.split(" ");
			Duration duration = (words.length > 1) ? StepCase.duration(words[1]) : Duration.ZERO;
			switch (words[0]) {
				case "send" -> this.sent = this.time.now();
				case "observe" -> this.clock.observe(this.sent, SERVER + duration.toNanos() / 1000);
				case "forget" -> this.clock.forget();
				case "pass" -> this.time.pass(duration);
				case "suspend" -> this.time.suspend(duration);
				case "judge" -> this.validity = judge(duration.toNanos() / 1000);
				default -> assertThat(step).isEqualTo("left");
			}
		}
		return (this.validity == null) ? "none" : this.validity.hasPassed(this.time) ? "passed"
				: this.validity.remainingNanos(this.time) / 1_000_000 + "ms";
	}

	private @Nullable Validity judge(long micros) {
		return this.clock.judge(SERVER + micros, Duration.ofSeconds(5), this.time.now());
	}

	@Test
	void aTimeThatNoClockOfAServerHasIsNotJudged() {
		steps("observe 0s; pass 1s");
		// A thousand times 2 to the 61st is 0 in 64 bits.
		for (int i = -3; i <= 4; i++) {
			if (i != 0) {
				assertThat(judge(i * (1L << 61))).as("%s", i).isNull();
			}
		}
	}

}
