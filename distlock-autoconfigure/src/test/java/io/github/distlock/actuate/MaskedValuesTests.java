package io.github.distlock.actuate;

import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.util.Map;

import javax.management.MBeanException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What callers see and may do if no Spring Security identifies them and all endpoints are
 * exposed.
 */
class MaskedValuesTests {

	private static final String KEY = "secret-key";

	private static final String[] SIGNATURE = { Integer.class.getName(), String.class.getName(),
			String.class.getName() };

	private static final String[] RELEASE_SIGNATURE = { String.class.getName(), String.class.getName(),
			Long.class.getName() };

	private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();

	@Test
	void withoutAnyPropertyNothingCanBeReleasedAndNothingIsSeen() throws Exception {
		try (EndpointApplication application = EndpointApplication.start(jmx("default"));
				HeldLock lock = application.registry().acquire(LockRequest.of(KEY))) {
			assertThatValuesAreMasked(application, "default");
			assertThat(application.delete("/actuator/distlocks?key=" + KEY + "&token=" + lock.fencingToken()))
				.satisfies((response) -> assertThat(response.statusCode()).isEqualTo(405));
			assertThat(application.delete("/actuator/distlocks/" + KEY + "?token=" + lock.fencingToken()))
				.satisfies((response) -> assertThat(response.statusCode()).isEqualTo(405));
			assertThat(this.server.getMBeanInfo(endpoint("default")).getOperations())
				.extracting((operation) -> operation.getName())
				.containsExactly("locks");
			assertThat(application.audit()).isEmpty();
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@Test
	void maskedValuesForbidEachReleaseEvenIfAccessIsUnrestricted() throws Exception {
		try (EndpointApplication application = EndpointApplication
			.start(jmx("unrestricted", "management.endpoint.distlocks.access=unrestricted"));
				HeldLock lock = application.registry().acquire(LockRequest.of(KEY))) {
			assertThatValuesAreMasked(application, "unrestricted");
			for (String path : new String[] { "/" + KEY + "?token=" + lock.fencingToken(),
					"?key=" + KEY + "&token=" + lock.fencingToken(), "/" + KEY, "?instance=AAAAAAAAAAA", "" }) {
				assertThat(application.delete("/actuator/distlocks" + path)).satisfies((response) -> {
					assertThat(response.statusCode()).isEqualTo(403);
					assertThat(response.body()).doesNotContain(KEY);
				});
			}
			assertThatExceptionOfType(MBeanException.class)
				.isThrownBy(() -> this.server.invoke(endpoint("unrestricted"), "release",
						new Object[] { KEY, null, lock.fencingToken() }, RELEASE_SIGNATURE))
				.withStackTraceContaining("masked")
				.satisfies((ex) -> assertThat(String.valueOf(ex.getCause())).doesNotContain(KEY));
			assertThat(application.audit()).hasSize(6).allSatisfy((event) -> {
				assertThat(event.getType()).isEqualTo(ReleaseAudit.REFUSED);
				assertThat(event.getData().toString()).doesNotContain(KEY);
			});
			assertThat(application.get("/actuator/auditevents").body()).contains(ReleaseAudit.REFUSED)
				.doesNotContain(KEY);
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@Test
	void jmxShowsAndReleasesIfValuesAreAlwaysShown() throws Exception {
		try (EndpointApplication application = EndpointApplication.start(jmx("open", EndpointApplication.OPEN))) {
			HeldLock lock = application.registry().acquire(LockRequest.of(KEY));
			assertThat(this.server.invoke(endpoint("open"), "locks", new Object[] { null, KEY, null }, SIGNATURE)
				.toString()).contains(KEY, Long.toString(lock.fencingToken()));
			assertThat(this.server.invoke(endpoint("open"), "release", new Object[] { KEY, null, lock.fencingToken() },
					RELEASE_SIGNATURE))
				.isNull();
			assertThat(application.audit()).singleElement().satisfies((event) -> {
				assertThat(event.getType()).isEqualTo(ReleaseAudit.RELEASED);
				assertThat(event.getPrincipal()).isEmpty();
				assertThat(event.getData()).containsEntry("key", KEY).containsEntry("registry", "local");
			});
			DistlocksEndpointTests.await(() -> assertThat(lock.isHeld()).isFalse());
		}
	}

	@Test
	void aSanitizingFunctionMasksValuesThatAreShown() throws Exception {
		try (EndpointApplication application = EndpointApplication
			.start(new Class<?>[] { EndpointApplication.Program.class, Sanitizing.class }, EndpointApplication.OPEN);
				HeldLock lock = application.registry().acquire(LockRequest.of(KEY));
				HeldLock other = application.registry().acquire(LockRequest.of("public-key"))) {
			assertThat(application.get("/actuator/distlocks").body()).contains("public-key").doesNotContain(KEY);
			assertThat(application.get("/actuator/distlocks/" + KEY).statusCode()).isEqualTo(403);
			assertThat(application.get("/actuator/distlocks/public-key").statusCode()).isEqualTo(200);
			assertThat(application.delete("/actuator/distlocks/" + KEY + "?token=" + lock.fencingToken()).statusCode())
				.isEqualTo(403);
			assertThat(application.audit()).extracting(AuditEvent::getData)
				.allSatisfy((data) -> assertThat(data.toString()).doesNotContain(KEY));
			assertThat(application.delete("/actuator/distlocks/public-key?token=" + other.fencingToken()).statusCode())
				.isEqualTo(204);
			DistlocksEndpointTests.await(() -> assertThat(other.isHeld()).isFalse());
		}
		catch (LockLostException ex) {
			assertThat(ex).hasMessageContaining("public-key");
		}
	}

	private void assertThatValuesAreMasked(EndpointApplication application, String domain) throws Exception {
		String host = InetAddress.getLocalHost().getHostName();
		String thread = Thread.currentThread().getName();
		assertThat(application.get("/actuator/distlocks").body())
			.contains("\"" + SanitizableData.SANITIZED_VALUE + "\"")
			.doesNotContain(KEY, "\"host\":\"" + host, thread);
		Object answer = this.server.invoke(endpoint(domain), "locks", new Object[3], SIGNATURE);
		assertThat(answer).isInstanceOf(Map.class);
		assertThat(answer.toString()).contains(SanitizableData.SANITIZED_VALUE)
			.doesNotContain(KEY, "host=" + host, thread);
	}

	@Test
	void maskedValuesForbidGuessingOfKeys() throws Exception {
		try (EndpointApplication application = EndpointApplication.start(jmx("guessed"));
				HeldLock lock = application.registry().acquire(LockRequest.of(KEY))) {
			for (String key : new String[] { KEY, "wrong-guess" }) {
				for (String path : new String[] { "/" + key, "?key=" + key, "/" + key + "?registry=none" }) {
					assertThat(application.get("/actuator/distlocks" + path)).satisfies((response) -> {
						assertThat(response.statusCode()).as(path).isEqualTo(403);
						assertThat(response.body()).contains("management.endpoint.distlocks.show-values")
							.doesNotContain(key);
					});
				}
				assertThatExceptionOfType(MBeanException.class)
					.isThrownBy(() -> this.server.invoke(endpoint("guessed"), "locks", new Object[] { null, key, null },
							SIGNATURE))
					.withStackTraceContaining("masked");
			}
			assertThat(lock.isHeld()).isTrue();
		}
	}

	private static String[] jmx(String domain, String... properties) {
		String[] all = new String[properties.length + 3];
		System.arraycopy(properties, 0, all, 3, properties.length);
		all[0] = "spring.jmx.enabled=true";
		all[1] = "management.endpoints.jmx.exposure.include=*";
		all[2] = "management.endpoints.jmx.domain=distlock." + domain;
		return all;
	}

	private static ObjectName endpoint(String domain) throws Exception {
		return new ObjectName("distlock." + domain + ":type=Endpoint,name=Distlocks");
	}

	/**
	 * Masks one key.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Sanitizing {

		@Bean
		SanitizingFunction sanitizingFunction() {
			return (data) -> KEY.equals(data.getValue()) ? data.withSanitizedValue() : data;
		}

	}

}
