package io.github.distlock.actuate;

import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.util.Base64;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
 * The endpoint behind Spring Security with its firewall, with the default for masking.
 */
class SecuredEndpointTests {

	@AutoClose
	private static final EndpointApplication application = EndpointApplication.start(
			new Class<?>[] { EndpointApplication.Program.class, Security.class },
			"management.endpoint.distlocks.access=unrestricted", "management.endpoint.distlocks.roles=OPERATOR");

	@ParameterizedTest
	@ValueSource(strings = { "a/b", "a%2Fb", "100%", "a;b=c", "../etc", "a//b", "a b+c", "schlüssel" })
	void aKeyWithAnyCharactersIsAskedForAndReleasedByParameter(String key) throws Exception {
		HeldLock lock = application.registry().acquire(LockRequest.of(key));
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
		try (HeldLock lock = application.registry().acquire(LockRequest.of("order-7"))) {
			assertThat(as("guest", "GET", "/actuator/distlocks").body()).contains("******").doesNotContain("order-7");
			assertThat(as("guest", "DELETE", "/actuator/distlocks/order-7?token=" + lock.fencingToken()).statusCode())
				.isEqualTo(403);
			assertThat(lock.isHeld()).isTrue();
			assertThat(as("operator", "GET", "/actuator/distlocks").body()).contains("order-7");
			assertThat(application.audit()).anySatisfy((event) -> {
				assertThat(event.getPrincipal()).isEqualTo("guest");
				assertThat(event.getType()).isEqualTo(DistlocksEndpoint.REFUSED);
				assertThat(event.getData()).containsEntry("key", "******");
				assertThat(event.getData().get("refusal")).asString().contains("values of this endpoint are masked");
			});
		}
	}

	@Test
	void theAuditEventNamesTheUserTheKeyAndTheGrant() throws Exception {
		HeldLock lock = application.registry().acquire(LockRequest.of("order-8"));
		as("operator", "DELETE", "/actuator/distlocks/order-8?token=" + lock.fencingToken());
		assertThat(application.audit()).anySatisfy((event) -> {
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
		return application.send(method, path, "Authorization", "Basic " + credentials);
	}

	/**
	 * Spring Security as an application configures it, with its default firewall.
	 */
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
