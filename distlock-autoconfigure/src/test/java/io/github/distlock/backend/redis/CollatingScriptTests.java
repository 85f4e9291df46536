package io.github.distlock.backend.redis;

import io.github.distlock.installed.Installed;
import io.github.distlock.testing.RedisLocales;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Comparisons in scripts do not depend on the locale of the server.
 */
@Tag(Installed.TAG)
class CollatingScriptTests extends ReaderScripts {

	@BeforeAll
	static void startServer() {
		use(new RedisTestServer(RedisLocales.start(RedisLocales.COLLATING)));
	}

	@Test
	void aReaderKeepsAWriterOut() {
		attempt("a:FR1");
		assertThat(attempt("w:W1", 30_000, "N").kind()).isEqualTo(Reply.BUSY);
	}

	@Test
	void aReaderKeepsAnExclusiveCallerOut() {
		attempt("a:FR1");
		assertThat(attempt("x:1", 30_000, "N").kind()).isEqualTo(Reply.BUSY);
	}

	@Test
	void aSecondReaderLeavesTheFirstInPlace() {
		long first = attempt("a:FR1").numbers()[0];
		long second = attempt("b:FR1").numbers()[0];
		assertThat(readers()).containsExactlyInAnyOrder("a:FR1", "b:FR1");
		assertThat(release("a:FR1", first).kind()).isEqualTo("ok");
		assertThat(release("b:FR1", second).kind()).isEqualTo("ok");
	}

	@Test
	void aTombstoneIsStillFree() {
		release("w:W1", attempt("w:W1").numbers()[0]);
		assertThat(word()).startsWith("|");
		assertThat(attempt("w:W2").numbers()).as("granted by the short way").hasSize(1);
	}

}
