package io.github.distlock.shapes;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.github.distlock.LockRequest;
import io.github.distlock.installed.Installed;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySettings.ReleaseMode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The documented rights, on the Valkey installed on this machine, where locks are also
 * taken and released by native commands.
 */
@Tag(Installed.TAG)
class AclOnValkeyTests extends AclTests {

	@Override
	Path executable() {
		return Installed.VALKEY_SERVER.assume();
	}

	@ParameterizedTest
	@EnumSource
	void theOptionalRightToSetReplacesScripts(ReleaseMode release) {
		redis().ask("ACL", "SETUSER", "distlock", "+set");
		BackendLockRegistry registry = nodes().node(Duration.ofSeconds(30), release);
		List<Long> tokens = List.of(cycle(registry), cycle(registry), cycle(registry));
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
		nodes().close();
		assertThat(redis().info("cmdstat_set")).startsWith("calls=").doesNotStartWith("calls=0,");
		assertThat(redis().info("cmdstat_set")).contains("rejected_calls=0,failed_calls=0");
	}

	private static long cycle(BackendLockRegistry registry) {
		try (var held = registry.acquire(LockRequest.of("key"))) {
			return held.fencingToken();
		}
	}

}
