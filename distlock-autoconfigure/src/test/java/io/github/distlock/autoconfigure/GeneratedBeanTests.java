package io.github.distlock.autoconfigure;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two JVMs with a bean whose class is generated exclude each other, although the class
 * has a different name in each JVM.
 */
class GeneratedBeanTests {

	private static final Map<String, List<ChildJvm>> pairs = new HashMap<>();

	private static RedisTestServer redis;

	@BeforeAll
	static void start() {
		redis = RedisTestServer.start();
	}

	@AfterAll
	static void stop() {
		pairs.values().forEach((pair) -> pair.forEach(ChildJvm::close));
		redis.close();
	}

	/** Both methods of a kind are called in the same two JVMs. */
	private static List<ChildJvm> pair(String kind) {
		return pairs.computeIfAbsent(kind, (newKind) -> List.of(child(newKind, 1), child(newKind, 3)));
	}

	private static ChildJvm child(String kind, int others) {
		return ChildJvm.start(GeneratedBeanChild.class, Integer.toString(redis.port()), kind, Integer.toString(others));
	}

	@ParameterizedTest
	@CsvSource({ "lambda, run", "lambda, runOfClass", "proxy, run", "proxy, runOfClass" })
	void aGeneratedBeanOfTwoJvmsHasOneLock(String kind, String method) {
		ChildJvm one = pair(kind).get(0);
		ChildJvm other = pair(kind).get(1);
		one.send(method).expect("inside");
		assertThat(other.send(method).expect("refused ")).contains("$Work");
		one.send("return").expect("returned");
		other.send(method).expect("inside");
		other.send("return").expect("returned");
	}

}
