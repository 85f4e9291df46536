package io.github.distlock.autoconfigure;

import java.util.List;

import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Event loops are never blocked. Runs in a separate JVM, since BlockHound rewrites the
 * classes of its JVM.
 */
class EventLoopTests {

	private static final List<String> MAY_BE_REWRITTEN = List.of("-XX:+AllowRedefinitionToAddDeleteMethods",
			"-XX:+EnableDynamicAgentLoading", "-Djdk.attach.allowAttachSelf=true");

	@Test
	void aThousandSubscribersOfOneKeyBlockNoEventLoop() {
		try (RedisTestServer redis = RedisTestServer.start();
				ChildJvm child = ChildJvm.start(MAY_BE_REWRITTEN, EventLoopChild.class,
						Integer.toString(redis.port()))) {
			assertThat(child.expect("canary ")).isEqualTo("java.lang.Thread.sleep");
			assertThat(child.expect("blocked ")).isEqualTo("[]");
			assertThat(child.expect("entered ")).isEqualTo("1000 of 1000, 0 at the same time, on 2 event loops");
		}
	}

}
