package io.github.distlock.actuate;

import java.net.InetAddress;

import io.github.distlock.HeldLock;
import io.github.distlock.LockKeyPrefix;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What callers see and may do if no Spring Security identifies them and all endpoints are
 * exposed.
 */
class MaskedValuesTests {

	private static final String KEY = "secret-key";

	@Test
	void withoutAnyPropertyNothingCanBeReleasedAndNothingIsSeen() throws Exception {
		try (EndpointApplication application = EndpointApplication.start();
				HeldLock lock = application.registry().acquire(LockRequest.of(KEY))) {
			assertThatValuesAreMasked(application);
			application.assertDelete(405, "/actuator/distlocks?key=" + KEY + "&token=" + lock.fencingToken());
			application.assertDelete(405, "/actuator/distlocks/" + KEY + "?token=" + lock.fencingToken());
			assertThat(application.audit()).isEmpty();
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@Test
	void maskedValuesForbidEachReleaseEvenIfAccessIsUnrestricted() throws Exception {
		try (EndpointApplication application = EndpointApplication
			.start("management.endpoint.distlocks.access=unrestricted");
				HeldLock lock = application.registry().acquire(LockRequest.of(KEY))) {
			assertThatValuesAreMasked(application);
			for (String path : new String[] { "/" + KEY + "?token=" + lock.fencingToken(),
					"?key=" + KEY + "&token=" + lock.fencingToken(), "/" + KEY, "?instance=AAAAAAAAAAA", "" }) {
				application.assertDelete(403, "/actuator/distlocks" + path).doesNotContain(KEY);
			}
			assertThat(application.audit()).hasSize(5).allSatisfy((event) -> {
				assertThat(event.getType()).isEqualTo(DistlocksEndpoint.REFUSED);
				assertThat(event.getData().toString()).doesNotContain(KEY);
			});
			assertThat(application.get("/actuator/auditevents").body()).contains(DistlocksEndpoint.REFUSED)
				.doesNotContain(KEY);
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@Test
	void aPrefixIsPartOfTheKeyThatIsShownOrMasked() throws Exception {
		Class<?>[] program = { EndpointApplication.Program.class, Prefixing.class };
		try (EndpointApplication application = EndpointApplication.start(program);
				HeldLock lock = application.registry().acquire(LockRequest.of(KEY))) {
			assertThatValuesAreMasked(application);
			assertThat(application.get("/actuator/distlocks").body()).doesNotContain("tenant-7");
		}
		try (EndpointApplication application = EndpointApplication.start(program, EndpointApplication.OPEN);
				HeldLock lock = application.registry().acquire(LockRequest.of(KEY))) {
			assertThat(application.get("/actuator/distlocks").body()).contains("\"tenant-7:" + KEY + "\"");
			application.assertGet(200, "/actuator/distlocks/tenant-7:" + KEY).contains("" + lock.fencingToken());
		}
	}

	@Test
	void aSanitizingFunctionMasksValuesThatAreShown() throws Exception {
		try (EndpointApplication application = EndpointApplication
			.start(new Class<?>[] { EndpointApplication.Program.class, Sanitizing.class }, EndpointApplication.OPEN);
				HeldLock lock = application.registry().acquire(LockRequest.of(KEY));
				HeldLock other = application.registry().acquire(LockRequest.of("public-key"))) {
			assertThat(application.get("/actuator/distlocks").body()).contains("public-key").doesNotContain(KEY);
			application.assertGet(403, "/actuator/distlocks/" + KEY);
			application.assertGet(200, "/actuator/distlocks/public-key");
			application.assertDelete(403, "/actuator/distlocks/" + KEY + "?token=" + lock.fencingToken());
			assertThat(application.audit()).extracting(AuditEvent::getData)
				.allSatisfy((data) -> assertThat(data.toString()).doesNotContain(KEY));
			application.assertDelete(204, "/actuator/distlocks/public-key?token=" + other.fencingToken());
			DistlocksEndpointTests.await(() -> assertThat(other.isHeld()).isFalse());
		}
		catch (LockLostException ex) {
			assertThat(ex).hasMessageContaining("public-key");
		}
	}

	private static void assertThatValuesAreMasked(EndpointApplication application) throws Exception {
		String host = InetAddress.getLocalHost().getHostName();
		String thread = Thread.currentThread().getName();
		assertThat(application.get("/actuator/distlocks").body())
			.contains("\"" + SanitizableData.SANITIZED_VALUE + "\"")
			.doesNotContain(KEY, "\"host\":\"" + host, thread);
	}

	@Test
	void maskedValuesForbidGuessingOfKeys() throws Exception {
		try (EndpointApplication application = EndpointApplication.start();
				HeldLock lock = application.registry().acquire(LockRequest.of(KEY))) {
			for (String key : new String[] { KEY, "wrong-guess" }) {
				for (String path : new String[] { "/" + key, "?key=" + key, "/" + key + "?registry=none" }) {
					application.assertGet(403, "/actuator/distlocks" + path)
						.contains("management.endpoint.distlocks.show-values")
						.doesNotContain(key);
				}
			}
			assertThat(lock.isHeld()).isTrue();
		}
	}

	/**
	 * Masks one key.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Prefixing {

		@Bean
		LockKeyPrefix tenant() {
			return (key) -> "tenant-7";
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Sanitizing {

		@Bean
		SanitizingFunction sanitizingFunction() {
			return (data) -> KEY.equals(data.getValue()) ? data.withSanitizedValue() : data;
		}

	}

}
