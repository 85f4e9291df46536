package io.github.distlock.actuate;

import java.net.InetAddress;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockKeyPrefix;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What callers see and may do if all endpoints are exposed: without Spring Security, so
 * that no caller is known, and behind it, with its firewall.
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
	void theKeyOfAWaitThatHasEndedIsMaskedToo() throws Exception {
		try (EndpointApplication application = EndpointApplication.start()) {
			HeldLock lock = application.registry().acquire(LockRequest.of(KEY));
			CompletableFuture<HeldLock> next = application.acquireElsewhere(KEY);
			DistlocksEndpointTests
				.await(() -> assertThat(application.get("/actuator/distlocks").body()).contains("\"waiting\":1,"));
			lock.close();
			next.get(60, TimeUnit.SECONDS).close();
			assertThat(application.get("/actuator/distlocks").body())
				.contains("\"hotKeys\":[{\"key\":\"" + SanitizableData.SANITIZED_VALUE + "\"", "\"waits\":1")
				.doesNotContain(KEY);
		}
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

	@AutoClose
	private static final EndpointApplication secured = EndpointApplication.start(
			new Class<?>[] { EndpointApplication.Program.class, Security.class },
			"management.endpoint.distlocks.access=unrestricted", "management.endpoint.distlocks.roles=OPERATOR");

	@ParameterizedTest
	@ValueSource(strings = { "a/b", "a%2Fb", "100%", "a;b=c", "../etc", "a//b", "a b+c", "schlüssel" })
	void aKeyWithAnyCharactersIsAskedForAndReleasedByParameter(String key) throws Exception {
		HeldLock lock = secured.registry().acquire(LockRequest.of(key));
		String path = "/actuator/distlocks?key=" + URLEncoder.encode(key, UTF_8);
		assertThat(EndpointApplication.json(as("operator", "GET", path))).containsEntry("key", key);
		assertThat(as("operator", "DELETE", path + "&token=" + lock.fencingToken()).statusCode()).isEqualTo(204);
		DistlocksEndpointTests.await(() -> assertThat(lock.isHeld()).isFalse());
	}

	@Test
	void theFirewallRefusesSomeKeysInThePath() throws Exception {
		for (String path : new String[] { "a%2Fb", "100%25", "a;b=c", "a//b" }) {
			assertThat(as("operator", "GET", "/actuator/distlocks/" + path).statusCode()).as(path).isEqualTo(400);
		}
	}

	@Test
	void aUserWithoutTheRoleSeesMaskedValuesAndReleasesNothing() throws Exception {
		try (HeldLock lock = secured.registry().acquire(LockRequest.of("order-7"))) {
			assertThat(as("guest", "GET", "/actuator/distlocks").body()).contains("******").doesNotContain("order-7");
			assertThat(as("guest", "DELETE", "/actuator/distlocks/order-7?token=" + lock.fencingToken()).statusCode())
				.isEqualTo(403);
			assertThat(lock.isHeld()).isTrue();
			assertThat(as("operator", "GET", "/actuator/distlocks").body()).contains("order-7");
			assertThat(secured.audit()).anySatisfy((event) -> {
				assertThat(event.getPrincipal()).isEqualTo("guest");
				assertThat(event.getType()).isEqualTo(DistlocksEndpoint.REFUSED);
				assertThat(event.getData()).containsEntry("key", "******");
				assertThat(event.getData().get("refusal")).asString().contains("values of this endpoint are masked");
			});
		}
	}

	@Test
	void theAuditEventNamesTheUserTheKeyAndTheGrant() throws Exception {
		HeldLock lock = secured.registry().acquire(LockRequest.of("order-8"));
		as("operator", "DELETE", "/actuator/distlocks/order-8?token=" + lock.fencingToken());
		assertThat(secured.audit()).anySatisfy((event) -> {
			assertThat(event.getPrincipal()).isEqualTo("operator");
			assertThat(event.getType()).isEqualTo(DistlocksEndpoint.RELEASED);
			assertThat(event.getData()).containsEntry("key", "order-8")
				.containsEntry("registry", "local")
				.containsEntry("grantToken", lock.fencingToken());
		});
		DistlocksEndpointTests.await(() -> assertThat(lock.isHeld()).isFalse());
	}

	private static HttpResponse<String> as(String user, String method, String path) throws Exception {
		String credentials = Base64.getEncoder().encodeToString((user + ":" + user).getBytes(UTF_8));
		return secured.send(method, path, "Authorization", "Basic " + credentials);
	}

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

	@Configuration(proxyBeanMethods = false)
	@EnableWebSecurity
	static class Security {

		@Bean
		SecurityFilterChain securityFilterChain(HttpSecurity http) throws Exception {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.httpBasic(Customizer.withDefaults())
				.csrf((csrf) -> csrf.disable())
				.build();
		}

		@Bean
		UserDetailsService users() {
			return new InMemoryUserDetailsManager(
					User.withUsername("operator").password("{noop}operator").roles("OPERATOR").build(),
					User.withUsername("guest").password("{noop}guest").roles("GUEST").build());
		}

	}

}
