package io.github.distlock.docs.reference;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.github.distlock.DistributedLock;
import io.github.distlock.DistributedLocks;
import io.github.distlock.FencingToken;
import io.github.distlock.HandOff;
import io.github.distlock.HeldLock;
import io.github.distlock.LockAssert;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockException;
import io.github.distlock.LockFailureHandler;
import io.github.distlock.LockHolder;
import io.github.distlock.LockListener;
import io.github.distlock.LockLostException;
import io.github.distlock.LockMode;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.OnFailure;
import io.github.distlock.ReactiveLockContext;
import io.github.distlock.backend.StoreUnusableException;
import io.github.distlock.backend.UnsupportedStoreOperationException;
import io.github.distlock.test.AutoConfigureTestLocks;
import io.github.distlock.test.DistlockTest;
import io.github.distlock.test.TestLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The page docs/reference.md says what the code says.
 */
class ReferencePageTests {

	private static final String PAGE = "docs/reference.md";

	@Test
	void thePageIsTheOneThatTheCodeGenerates() throws IOException {
		GeneratedPage.check(PAGE, generate(), ReferencePageTests.class);
	}

	@Test
	void aDifferenceIsReportedWithItsLineAndTheCommandThatWritesThePageAgain(@TempDir Path folder) throws IOException {
		Path page = Files.writeString(folder.resolve("page.md"), "first\nsecond\n");
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> GeneratedPage.compare(page, "first\nthird\n", ReferencePageTests.class))
			.withMessageContaining("line 2")
			.withMessageContaining("third")
			.withMessageContaining("-Ddistlock.docs.write=true");
	}

	@Test
	void aSentenceEndsAtItsFullStop() {
		assertThat(SourceDocs.firstSentence("Hold `a.b`, such as\n1.5. Next.")).isEqualTo("Hold `a.b`, such as 1.5.");
	}

	private static String generate() throws IOException {
		SourceDocs docs = SourceDocs.read();
		Markdown page = new Markdown();
		page.add("# Reference");
		page.add(
				"""
						All annotations, properties, meters, observations, operations, exceptions and events.
						This page is generated from the code. To change it, change the Javadoc or the property metadata, compile, and
						run:""");
		page.add("```shell\n" + GeneratedPage.command(ReferencePageTests.class) + "\n```");
		page.add("""
				- [Annotations](#annotations)
				- [Properties](#properties)
				- [Meters](#meters), [observations](#observations), [entries of the MDC](#entries-of-the-mdc)
				- [Actuator endpoint](#actuator-endpoint-distlocks), [health](#health)
				- [Exceptions](#exceptions), [events of locks](#events-of-locks)
				- [Programming interface](#programming-interface), [enumerations](#enumerations)""");
		new AnnotationSection(docs).write(page, List.of(DistributedLock.class, DistributedLocks.class,
				FencingToken.class, DistlockTest.class, AutoConfigureTestLocks.class));
		new PropertySection(docs).write(page);
		new MeterSection(docs).write(page);
		new EndpointSection(docs).write(page);
		ApiSection api = new ApiSection(docs);
		api.writeExceptions(page,
				List.of(LockNotAcquiredException.class, LockBackendException.class, LockLostException.class,
						LockDefinitionException.class, StoreUnusableException.class,
						UnsupportedStoreOperationException.class),
				failures());
		api.writeEvents(page);
		api.writeTypes(page,
				List.of(LockRegistry.class, LockRequest.class, HeldLock.class, LockContext.class,
						ReactiveLockContext.class, LockAssert.class, LockFailureHandler.class, LockListener.class,
						LockHolder.class, LockException.class, TestLocks.class));
		api.writeEnums(page, List.of(OnFailure.class, LockMode.class, LockOutcome.class, HandOff.class));
		return page.toString();
	}

	/** This class is not public. */
	private static List<Class<?>> failures() {
		return List.of(ClassUtils.resolveClassName("io.github.distlock.autoconfigure.StartUpException", null));
	}

}
