package io.github.distlock.autoconfigure;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.distlock.actuate.DistlocksPage;
import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Hints for the native image of every application.
 */
class NativeHintsTests {

	private static final Pattern PRESENCE = Pattern.compile("isPresent\\(\\s*\"([^\"]+)\"");

	private final RuntimeHints hints = new RuntimeHints();

	NativeHintsTests() {
		new NativeHints().registerHints(this.hints, getClass().getClassLoader());
	}

	@Test
	void theBuilderOfVirtualThreadsIsKept() {
		assertThat(RuntimeHintsPredicates.reflection().onType(TypeReference.of("java.lang.Thread$Builder")))
			.accepts(this.hints);
		assertThat(RuntimeHintsPredicates.reflection().onType(Thread.class)).accepts(this.hints);
	}

	@Test
	void theFieldThatIsReadReflectivelyIsKept() {
		assertThat(ReflectionUtils.findField(LettuceConnectionFactory.class, "configuration")).isNotNull();
		assertThat(RuntimeHintsPredicates.reflection().onFieldAccess(LettuceConnectionFactory.class, "configuration"))
			.accepts(this.hints);
	}

	@Test
	void theSearchForATransactionManagerIsKept() {
		Method search = Objects.requireNonNull(ReflectionUtils.findMethod(TransactionAspectSupport.class,
				"determineTransactionManager", TransactionAttribute.class, Class.class));
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(search)).accepts(this.hints);
	}

	@Test
	void thePageOfTheEndpointIsKept() {
		assertThat(RuntimeHintsPredicates.resource().forResource(DistlocksPage.FILE)).accepts(this.hints);
	}

	@Test
	void eachLibraryWhosePresenceIsTestedIsKept() throws IOException {
		Set<String> tested = new TreeSet<>();
		try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
			for (Path source : sources.filter(Files::isRegularFile).toList()) {
				PRESENCE.matcher(Files.readString(source)).results().forEach((found) -> tested.add(found.group(1)));
			}
		}
		// The tests of this module have no Kotlin.
		tested.removeIf((name) -> !ClassUtils.isPresent(name, getClass().getClassLoader()));
		assertThat(tested).hasSizeGreaterThan(5)
			.allSatisfy((name) -> assertThat(RuntimeHintsPredicates.reflection().onType(TypeReference.of(name)))
				.accepts(this.hints));
	}

}
