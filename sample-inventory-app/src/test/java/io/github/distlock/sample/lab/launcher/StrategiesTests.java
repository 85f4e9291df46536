package io.github.distlock.sample.lab.launcher;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The catalogue of strategies, and what the command line may choose of it.
 */
class StrategiesTests {

	@Test
	void someAreChosenByTheirNamesInTheOrderGiven() {
		assertThat(names(Strategies.parse("setnx, none,setnx"))).containsExactly("setnx", "none");
	}

	@Test
	void allIsEveryOne() {
		assertThat(Strategies.parse("all")).isEqualTo(Strategies.ALL).doesNotHaveDuplicates();
		assertThat(names(Strategies.DEFAULT)).containsExactly("none", "synchronized", "distributed-lock");
	}

	@Test
	void anUnknownOneIsNamedWithThoseThatExist() {
		assertThatIllegalArgumentException().isThrownBy(() -> Strategies.parse("none,luck"))
			.withMessageStartingWith("--strategies=luck is unknown: use all, or some of none, synchronized, ");
	}

	@Test
	void onlyWhatHasNoLockForAllNodesOversellsUnasked() {
		assertThat(names(Strategies.ALL.stream()
			.filter((strategy) -> strategy.expected(Fault.NONE).verdict() != Verdict.HOLDS)
			.toList())).isSubsetOf("none", "synchronized", "local");
	}

	@Test
	void everyHandMadeLockAndEveryLeaseWithoutATokenHasAFaultThatBreaksIt() {
		assertThat(names(Strategies.ALL.stream().filter(StrategiesTests::isBroken).toList())).containsExactly("mkdir",
				"setnx", "setnx-expire", "setnx-getset", "set-ex-fixed", "set-px-unique", "redis", "redis-fair",
				"redlock", "jdbc-lease");
	}

	@Test
	void aLeaseIsSafeFromAPauseOnlyWithItsToken() {
		for (String name : List.of("redis", "redis-fair", "redlock", "jdbc-lease")) {
			assertThat(Strategies.of(name).underFaults()).as(name)
				.allSatisfy((fault, expected) -> assertThat(expected.verdict())
					.isEqualTo((fault == Fault.PAUSE) ? Verdict.OVERSELLS : Verdict.HOLDS));
		}
		assertThat(Strategies.of("distributed-lock").expected(Fault.PAUSE).verdict()).isEqualTo(Verdict.HOLDS);
	}

	@Test
	void faultsAreChosenByTheirNames() {
		assertThat(Fault.parse("slow,crash")).containsExactly(Fault.SLOW, Fault.CRASH);
		assertThat(Fault.parse("all")).containsExactly(Fault.values());
		assertThatIllegalArgumentException().isThrownBy(() -> Fault.parse("flood"))
			.withMessage("--fault=flood is unknown: use none, crash, slow, pause, clock, several with commas, or all");
	}

	@Test
	void everyStrategyHasAReasonOfItsOwnForEachFault() {
		for (Strategy strategy : Strategies.ALL) {
			assertThat(strategy.underFaults()).as(strategy.name())
				.containsOnlyKeys(Fault.CRASH, Fault.SLOW, Fault.PAUSE, Fault.CLOCK);
			assertThat(Stream.of(Fault.values()).map((fault) -> strategy.expected(fault).why())).as(strategy.name())
				.doesNotHaveDuplicates();
		}
	}

	@Test
	void everyReasonIsASentenceThatFitsIntoALineOfTheConsole() {
		Strategies.ALL
			.forEach((strategy) -> assertThat(Stream.of(Fault.values()).map((fault) -> strategy.expected(fault).why()))
				.allMatch((why) -> why.matches("[A-Z@].*[^.]\\.") && why.length() <= 106, strategy.name()));
	}

	private static boolean isBroken(Strategy strategy) {
		return strategy.underFaults()
			.values()
			.stream()
			.anyMatch((under) -> under.verdict() != strategy.usual().verdict());
	}

	private static List<String> names(List<Strategy> strategies) {
		return strategies.stream().map(Strategy::name).toList();
	}

}
