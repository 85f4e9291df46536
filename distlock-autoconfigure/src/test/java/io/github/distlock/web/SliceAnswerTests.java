package io.github.distlock.web;

import io.github.distlock.LockNotAcquiredException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.MediaType;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The answers in Spring Boot's own test slices, in which the locked service is replaced.
 */
class SliceAnswerTests {

	private static final String IN_USE = "{\"detail\":\"The lock is in use\",\"status\":409,\"title\":\"Conflict\"}";

	@Configuration(proxyBeanMethods = false)
	@RestController
	static class Controller {

		@GetMapping("/deduct")
		String deduct() {
			throw new LockNotAcquiredException("Refused by the replaced service");
		}

		@GetMapping("/mono")
		Mono<String> mono() {
			return Mono.fromSupplier(this::deduct);
		}

	}

	@Nested
	@WebMvcTest
	@ContextConfiguration(classes = Controller.class)
	class WithServlets {

		@Autowired
		private MockMvcTester mvc;

		@Test
		void aTestOfAControllerGetsTheAnswerOfTheApplication() {
			assertThat(this.mvc.get().uri("/deduct")).hasStatus(409)
				.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
				.bodyText()
				.isEqualTo(IN_USE);
		}

	}

	@Nested
	@WebFluxTest
	@ContextConfiguration(classes = Controller.class)
	class WithoutServlets {

		@Autowired
		private WebTestClient client;

		@Test
		void aTestOfAControllerGetsTheAnswerOfTheApplication() {
			this.client.get()
				.uri("/mono")
				.exchange()
				.expectStatus()
				.isEqualTo(409)
				.expectHeader()
				.contentType(MediaType.APPLICATION_PROBLEM_JSON)
				.expectBody(String.class)
				.isEqualTo(IN_USE);
		}

	}

}
