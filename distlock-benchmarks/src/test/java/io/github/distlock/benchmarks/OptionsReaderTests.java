package io.github.distlock.benchmarks;

import java.nio.file.Path;
import java.time.Duration;

import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.RedisAddress;
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
		assertThat(options.redis()).isNull();
		assertThat(options.output()).isEqualTo(Path.of("default"));
	}

	@Test
	void everythingCanBeChosen() {
		Options options = read("--workloads=hot-4x4,hot-1x2", "--contenders=floor, lock4j", "--rounds=3",
				"--slice=50ms", "--warm-up=0s", "--redis=example.com:7000", "--pin=off", "--output=there");
		assertThat(options.workloads()).extracting((workload) -> workload.chapter().id())
			.containsExactly("hot-1x2", "hot-4x4");
		assertThat(options.contenders()).extracting(Contender::id).containsExactly("lock4j", "floor");
		assertThat(options.rounds()).isEqualTo(3);
		assertThat(options.slice()).isEqualTo(Duration.ofMillis(50));
		assertThat(options.warmUp()).isZero();
		assertThat(options.redis()).isEqualTo(new RedisAddress("example.com", 7000));
		assertThat(options.processor()).isNull();
		assertThat(options.output()).isAbsolute().endsWithRaw(Path.of("there"));
	}

	@Test
	void anEarlierVersionTakesPartIfItIsGiven() {
		assertThat(read("--contenders=distlock", "--previous=pom.xml").contenders())
			.extracting((contender) -> contender.id())
			.containsExactly("distlock", "distlock-previous");
		assertThatIllegalArgumentException().isThrownBy(() -> read("--previous=no-such.jar"))
			.withMessageContaining("there is no such jar or folder");
	}

	@Test
	void fullIsEverything() {
		Options options = read("--workloads=full", "--contenders=full");
		assertThat(options.workloads()).extracting((workload) -> workload.chapter().id())
			.contains("hot-32x1-1ms", "held-10000", "once-10000", "annotation-cost");
		assertThat(options.contenders()).hasSize(18);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			--round=3          | Argument '--round=3' is unknown: --help shows what there is
			rounds=3           | Argument 'rounds=3' is unknown: --help shows what there is
			--rounds           | Argument '--rounds' is unknown: --help shows what there is
			--rounds=0         | --rounds=0: use a number from 1 to 1000
			--rounds=many      | --rounds=many: use a number from 1 to 1000
			--slice=1ms        | --slice=1ms: use a duration such as 300ms or 2s, from 50 ms to 60 s
			--slice=fast       | --slice=fast: use a duration such as 300ms or 2s, from 50 ms to 60 s
			--redis=localhost  | --redis: 'localhost' is no address: write host:port, such as localhost:6379
			--pin=-3           | --pin=-3: use a number from 0 to 4095
			--workloads=hot    | There is no workload 'hot': use annotation, annotation-cost, uncontended-1
			--contenders=ours  | There is no contender 'ours': use distlock, distlock-lease
			""")
	void whatMakesNoSenseIsAnsweredWithWhatToWrite(String argument, String message) {
		assertThatIllegalArgumentException().isThrownBy(() -> read(argument)).withMessageStartingWith(message);
	}

	private static Options read(String... arguments) {
		return new OptionsReader(Path.of("default")).read(arguments);
	}

}
