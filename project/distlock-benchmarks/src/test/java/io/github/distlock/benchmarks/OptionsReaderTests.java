package io.github.distlock.benchmarks;

import java.nio.file.Path;
import java.time.Duration;

import io.github.distlock.benchmarks.catalogue.Contenders;
import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.RedisAddress;
import io.github.distlock.benchmarks.servers.ServerOptions;
import io.github.distlock.benchmarks.workloads.WarmUp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What the command line understands, and what it answers to the rest.
 */
class OptionsReaderTests {

	@Test
	void withoutArgumentsTheQuickSelectionIsMeasured() {
		Options options = read();
		assertThat(options.workloads()).extracting((workload) -> workload.chapter().id())
			.contains("uncontended-1", "hot-1x64", "hot-4x4");
		assertThat(options.contenders()).extracting(Contender::id).contains("distlock", "redisson", "floor");
		assertThat(options.rounds()).isEqualTo(10);
		assertThat(options.processor()).isEqualTo(-1);
		assertThat(options.warmUps()).containsExactly(new WarmUp(Duration.ofSeconds(1), false));
		assertThat(options.servers()).isEqualTo(new ServerOptions(null, null));
		assertThat(options.output()).isEqualTo(Path.of("default"));
	}

	@Test
	void everythingCanBeChosen() {
		Options options = read("--workloads=hot-4x4,hot-1x2", "--contenders=floor, lock4j", "--rounds=3",
				"--slice=50ms", "--warm-up=0s", "--cold=200ms", "--redis=example.com:7000", "--server=pom.xml",
				"--pin=off", "--output=there");
		assertThat(options.workloads()).extracting((workload) -> workload.chapter().id())
			.containsExactly("hot-1x2", "hot-4x4");
		assertThat(options.contenders()).extracting(Contender::id).containsExactly("lock4j", "floor");
		assertThat(options.rounds()).isEqualTo(3);
		assertThat(options.slice()).isEqualTo(Duration.ofMillis(50));
		assertThat(options.warmUps()).containsExactly(new WarmUp(Duration.ZERO, false),
				new WarmUp(Duration.ofMillis(200), true));
		assertThat(options.servers())
			.isEqualTo(new ServerOptions(new RedisAddress("example.com", 7000), Path.of("pom.xml").toAbsolutePath()));
		assertThat(options.processor()).isNull();
		assertThat(options.output()).isAbsolute().endsWithRaw(Path.of("there"));
	}

	@Test
	void aServerIsFoundByTheNameOfItsProgram() {
		assertThat(read("--server=java").servers().program()).isExecutable().endsWithRaw(Path.of("java"));
	}

	@Test
	void theNameOfADeploymentStandsForItsWorkloads() {
		assertThat(read("--workloads=h2,hot-2x1").workloads()).extracting((workload) -> workload.chapter().id())
			.containsExactly("hot-2x1", "h2-uncontended-1", "h2-uncontended-8", "h2-hot-1x8", "h2-hot-1x16",
					"h2-hot-2x1", "h2-hot-2x1-20ms", "h2-hot-4x4", "h2-young");
	}

	@Test
	void aColdWorkloadHasANameOfItsOwn() {
		Options options = read("--workloads=uncontended-1,local-cost,held-1000", "--warm-up=6s", "--cold=200ms");
		assertThat(options.workloads()).flatExtracting((workload) -> workload.after(options.warmUps()))
			.extracting((workload) -> workload.chapter().id())
			.containsExactly("local-cost", "local-cost-cold", "uncontended-1", "uncontended-1-cold", "held-1000");
	}

	@Test
	void anEarlierVersionTakesPartIfItIsGiven() {
		assertThat(read("--contenders=floor,distlock-fair,distlock", "--previous=pom.xml").contenders())
			.extracting((contender) -> contender.id())
			.containsExactly("distlock", "distlock-previous", "distlock-fair", "distlock-fair-previous", "floor");
		assertThatIllegalArgumentException().isThrownBy(() -> read("--previous=no-such.jar"))
			.withMessageContaining("there is no such jar or folder");
	}

	@Test
	void fullIsEverything() {
		Options options = read("--workloads=full", "--contenders=full");
		assertThat(options.workloads()).extracting((workload) -> workload.chapter().id())
			.contains("hot-32x1-1ms", "held-10000", "once-10000", "annotation-cost", "local-cost", "same-key-1",
					"fair-1x64", "delayed-hot-4x16", "tls-uncontended-1", "replica-hot-4x16", "redlock-uncontended-1",
					"postgresql-hot-2x1", "h2-uncontended-1", "zookeeper-fair-1x16");
		assertThat(options.contenders()).isEqualTo(Contenders.all());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					--round=3          | Argument '--round=3' is unknown: --help shows what there is
					rounds=3           | Argument 'rounds=3' is unknown: --help shows what there is
					--rounds           | Argument '--rounds' is unknown: --help shows what there is
					--rounds=0         | --rounds=0: use a number from 1 to 1000
					--rounds=many      | --rounds=many: use a number from 1 to 1000
					--slice=1ms        | --slice=1ms: use a duration such as 300ms or 2s, from 50 ms to 60 s
					--slice=fast       | --slice=fast: use a duration such as 300ms or 2s, from 50 ms to 60 s
					--redis=localhost  | --redis: 'localhost' is no address: write host:port, such as localhost:6379
					--warm-up=off      | --warm-up=off: give --cold=200ms, or nothing would be measured
					--cold=yes         | --cold=yes: use a duration such as 300ms or 2s, from 0 ms to 60 s
					--server=no-such   | --server=
					--pin=-3           | --pin=-3: use a number from 0 to 4095
					--workloads=hot    | There is no workload 'hot': use annotation-cost, local-cost, transaction-cost, annotation, uncontended-1
					--contenders=ours  | There is no contender 'ours': use distlock, distlock-lease
					""")
	void whatMakesNoSenseIsAnsweredWithWhatToWrite(String argument, String message) {
		assertThatIllegalArgumentException().isThrownBy(() -> read(argument)).withMessageStartingWith(message);
	}

	private static Options read(String... arguments) {
		return new OptionsReader(Path.of("default")).read(arguments);
	}

}
