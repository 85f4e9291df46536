package io.github.distlock.lab.console;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.github.distlock.lab.runs.Catalogue;
import io.github.distlock.lab.runs.Fault;
import io.github.distlock.lab.runs.Strategy;
import io.github.distlock.lab.runs.TestStrategies;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What the command line may say.
 */
class OptionsTests {

	private static final Catalogue CATALOGUE = TestStrategies.CATALOGUE;

	private static final Path REPORT = Path.of("/build/report.json");

	@Test
	void withoutArgumentsThereAre800OrdersForAStockOf500() {
		assertThat(parse()).isEqualTo(new Options(800, 500, 64, 8000, REPORT, false, CATALOGUE.usual(), true,
				List.of(Fault.NONE), null, null, Map.of()));
	}

	@Test
	void everyOptionIsRead() {
		assertThat(parse("--orders=20", "--stock=12", "--buyers=4", "--base-port=0", "--report=/x/y.json", "--exit"))
			.isEqualTo(new Options(20, 12, 4, 0, Path.of("/x/y.json"), true, CATALOGUE.usual(), true,
					List.of(Fault.NONE), null, null, Map.of()));
	}

	@Test
	void strategiesAndFaultsAreReadAndEachAloneMeansTheHistory() {
		Options both = parse("--strategies=setnx,none", "--fault=crash");
		assertThat(both.strategies()).extracting(Strategy::name).containsExactly("setnx", "none");
		assertThat(both.faults()).containsExactly(Fault.CRASH);
		assertThat(parse("--strategies=all").faults()).containsExactly(Fault.NONE);
		assertThat(both.usual()).isFalse();
		assertThat(parse("--fault=slow").usual()).isFalse();
		assertThat(parse("--fault=slow").strategies()).isEqualTo(CATALOGUE.all());
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
			.withMessageContaining("--orders=800");
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
		String usage = Options.usage(CATALOGUE);
		assertThat(usage.lines()).allMatch((line) -> line.length() <= 110);
		assertThat(usage).contains(CATALOGUE.names());
	}

	private static Options parse(String... args) {
		return Options.parse(args, REPORT, CATALOGUE);
	}

}
