package io.github.distlock.sample.lab.launcher;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What the command line may say.
 */
class OptionsTests {

	private static final Path REPORT = Path.of("/build/report.json");

	@Test
	void withoutArgumentsThereAre800OrdersForAStockOf500() {
		assertThat(parse()).isEqualTo(
				new Options(200, 120, 32, 8000, REPORT, false, List.of(), List.of(Fault.NONE), null, null, Map.of()));
	}

	@Test
	void everyOptionIsRead() {
		assertThat(parse("--orders=20", "--stock=12", "--buyers=4", "--base-port=0", "--report=/x/y.json", "--exit"))
			.isEqualTo(new Options(20, 12, 4, 0, Path.of("/x/y.json"), true, List.of(), List.of(Fault.NONE), null, null,
					Map.of()));
	}

	@Test
	void strategiesAndFaultsAreReadAndEachAloneMeansTheHistory() {
		Options both = parse("--strategies=setnx,none", "--fault=crash");
		assertThat(both.strategies()).extracting(Strategy::name).containsExactly("setnx", "none");
		assertThat(both.faults()).containsExactly(Fault.CRASH);
		assertThat(parse("--strategies=all").faults()).containsExactly(Fault.NONE);
		assertThat(parse("--fault=slow").strategies()).isEqualTo(Strategies.ALL);
	}

	@Test
	void propertiesOfTheServicesAreHandedOn() {
		assertThat(parse("--spring.data.redis.host=cache", "--distlock.lease-time=3s").settings())
			.isEqualTo(Map.of("spring.data.redis.host", "cache", "distlock.lease-time", "3s"));
	}

	@Test
	void anUnknownArgumentIsNamedTogetherWithTheOnesThatExist() {
		assertThatIllegalArgumentException().isThrownBy(() -> parse("--order=20"))
			.withMessageContaining("'--order=20'")
			.withMessageContaining("--orders=200");
		assertThatIllegalArgumentException().isThrownBy(() -> parse("exit")).withMessageContaining("'exit'");
	}

	@Test
	void aPortForAllServicesIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> parse("--server.port=9000"))
			.withMessageContaining("--base-port");
	}

	@Test
	void whatIsNoNumberIsNamed() {
		assertThatIllegalArgumentException().isThrownBy(() -> parse("--stock=many"))
			.withMessage("--stock=many is no number: write --stock=100");
	}

	@Test
	void aNumberOutOfRangeIsNamedWithTheRange() {
		assertThatIllegalArgumentException().isThrownBy(() -> parse("--orders=0"))
			.withMessage("--orders=0 is out of range: use 1 or more");
		assertThatIllegalArgumentException().isThrownBy(() -> parse("--orders=66667"))
			.withMessage(
					"--orders=66667 is out of range: use 66666 or less: the page keeps the records of all 3 trials");
		assertThatIllegalArgumentException().isThrownBy(() -> parse("--base-port=70000"))
			.withMessageContaining("0 to 65000");
	}

	@Test
	void theHelpNamesEveryStrategyInLinesOfAtMost110Columns() {
		assertThat(Options.USAGE.lines()).allMatch((line) -> line.length() <= 110);
		Strategies.ALL.forEach((strategy) -> assertThat(Options.USAGE).contains(strategy.name()));
	}

	private static Options parse(String... args) {
		return Options.parse(args, REPORT);
	}

}
