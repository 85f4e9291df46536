package io.github.distlock.simulation;

import java.io.PrintStream;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The simulation finds each {@link PermitFlaw}, with seeds that were not used to write
 * it.
 */
class PermitFlawTests {

	private static final long FIRST = 1_000_001;

	private static final long COUNT = 2_000;

	/** Few seeds find these, so the hunt begins shortly before one that does. */
	private static final Map<PermitFlaw, Long> RARE = Map.of(PermitFlaw.ENDED_LEASES_COUNT, 1_000_900L,
			PermitFlaw.PERMIT_OF_A_DEAD_HOLDER_LOST, 1_000_280L);

	private static final Logger engine = (Logger) LoggerFactory.getLogger("io.github.distlock");

	private final PrintStream out = System.out;

	@BeforeAll
	static void logNothing() {
		engine.setLevel(Level.OFF);
	}

	@AfterAll
	static void logAgain() {
		engine.setLevel(null);
	}

	@ParameterizedTest
	@EnumSource
	void theFlawIsFound(PermitFlaw flaw) {
		Optional<Simulation.Result> found = LongStream.iterate(RARE.getOrDefault(flaw, FIRST), (seed) -> seed + 1)
			.limit(COUNT)
			.mapToObj(Plan::of)
			.filter((plan) -> plan.permits() > 0)
			.map((plan) -> Simulation.run(plan, false, flaw))
			.filter((result) -> !result.violations().isEmpty())
			.findFirst();
		assertThat(found).isPresent();
		this.out.println(flaw + " is found by seed " + found.get().seed() + ": " + found.get().violations().get(0));
	}

}
