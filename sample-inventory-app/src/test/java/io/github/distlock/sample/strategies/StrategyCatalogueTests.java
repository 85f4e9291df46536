package io.github.distlock.sample.strategies;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.distlock.lab.console.Options;
import io.github.distlock.lab.runs.Catalogue;
import io.github.distlock.lab.runs.Fault;
import io.github.distlock.lab.runs.Strategy;
import io.github.distlock.lab.runs.Verdict;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The catalogue of strategies, and what the command line may choose of it.
 */
class StrategyCatalogueTests {

	private static final Catalogue CATALOGUE = StrategyCatalogue.catalogue();

	@Test
	void someAreChosenByTheirNamesInTheOrderGiven() {
		assertThat(names(CATALOGUE.parse("setnx, none,setnx"))).containsExactly("setnx", "none");
	}

	@Test
	void allIsEveryOne() {
		assertThat(CATALOGUE.parse("all")).isEqualTo(CATALOGUE.all()).doesNotHaveDuplicates();
		assertThat(names(CATALOGUE.usual())).containsExactly("none", "synchronized", "distributed-lock");
	}

	@Test
	void anUnknownOneIsNamedWithThoseThatExist() {
		assertThatIllegalArgumentException().isThrownBy(() -> CATALOGUE.parse("none,luck"))
			.withMessageStartingWith("--strategies=luck is unknown: use all, or some of none, synchronized, ");
	}

	@Test
	void onlyWhatHasNoLockForAllNodesOversellsUnasked() {
		assertThat(names(CATALOGUE.all()
			.stream()
			.filter((strategy) -> strategy.expected(Fault.NONE).verdict() != Verdict.HOLDS)
			.toList())).isSubsetOf("none", "synchronized", "local");
	}

	@Test
	void everyHandMadeLockAndEveryLeaseWithoutTheFenceHasAFaultThatBreaksIt() {
		assertThat(names(CATALOGUE.all().stream().filter(StrategyCatalogueTests::isBroken).toList())).containsExactly(
				"mkdir", "setnx", "setnx-expire", "setnx-getset", "set-ex-fixed", "set-px-unique", "redis",
				"redis-fair", "redlock", "jdbc-lease");
	}

	@Test
	void aLeaseIsSafeFromAPauseOnlyWithTheFence() {
		for (String name : List.of("redis", "redis-fair", "redlock", "jdbc-lease")) {
			assertThat(CATALOGUE.strategy(name).underFaults()).as(name)
				.allSatisfy((fault, expected) -> assertThat(expected.verdict())
					.isEqualTo((fault == Fault.PAUSE) ? Verdict.OVERSELLS : Verdict.HOLDS));
		}
		assertThat(CATALOGUE.strategy("distributed-lock").expected(Fault.PAUSE).verdict()).isEqualTo(Verdict.HOLDS);
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
		for (Strategy strategy : CATALOGUE.all()) {
			assertThat(strategy.underFaults()).as(strategy.name())
				.containsOnlyKeys(Fault.CRASH, Fault.SLOW, Fault.PAUSE, Fault.CLOCK);
			assertThat(Stream.of(Fault.values()).map((fault) -> strategy.expected(fault).why())).as(strategy.name())
				.doesNotHaveDuplicates();
		}
	}

	@Test
	void everyReasonIsASentenceThatFitsIntoALineOfTheConsole() {
		CATALOGUE.all()
			.forEach((strategy) -> assertThat(Stream.of(Fault.values()).map((fault) -> strategy.expected(fault).why()))
				.allMatch((why) -> why.matches("[A-Z@].*[^.]\\.") && why.length() <= 106, strategy.name()));
	}

	@Test
	void theHelpHasLinesOfAtMost110Columns() {
		assertThat(Options.usage(CATALOGUE).lines()).allMatch((line) -> line.length() <= 110);
	}

	@Test
	void eachExpectedVerdictHasAReasonInChinese() throws IOException {
		Set<String> expected = CATALOGUE.all()
			.stream()
			.flatMap((strategy) -> Arrays.stream(Fault.values())
				.map((fault) -> "why.%s.%s.%s".formatted(strategy.name(), fault.option(),
						strategy.expected(fault).verdict().name())))
			.collect(Collectors.toCollection(TreeSet::new));
		expected.addAll(Set.of("why.unexpected", "why.missed"));
		assertThat(chineseTexts().filter((name) -> name.startsWith("why.")))
			.containsExactlyInAnyOrderElementsOf(expected);
	}

	private static Stream<String> chineseTexts() throws IOException {
		try (InputStream in = Objects
			.requireNonNull(StrategyCatalogueTests.class.getResourceAsStream("/static/texts/zh.json"))) {
			return List.copyOf(JsonMapper.builder().build().readTree(in).propertyNames()).stream();
		}
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
