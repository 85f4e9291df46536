package io.github.distlock.web;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisRepositoriesAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.WebFilter;

import static java.time.Duration.ZERO;

/**
 * An application that runs as a servlet application and as a reactive one.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration(exclude = { HibernateJpaAutoConfiguration.class, DataJpaRepositoriesAutoConfiguration.class,
		DataRedisRepositoriesAutoConfiguration.class })
@Import({ ShopWeb.Controller.class, ShopWeb.StockService.class, ShopWeb.StockEndpoint.class })
class ShopWeb {

	/**
	 * Not Reactor's own threads: they may have the class loader of an application that
	 * has ended, with which no error page can be found.
	 */
	private static final Scheduler NEW_THREAD = Schedulers.fromExecutor((call) -> new Thread(call).start());

	/** The key of all locks, which is in no path. */
	static final String KEY = "customer-0815";

	@Bean
	Filter failingFilter() {
		return (request, response, chain) -> {
			failAt(((HttpServletRequest) request).getRequestURI());
			chain.doFilter(request, response);
		};
	}

	@Bean
	WebFilter failingWebFilter() {
		return (exchange, chain) -> {
			failAt(exchange.getRequest().getPath().value());
			return chain.filter(exchange);
		};
	}

	private static void failAt(String path) {
		if (path.equals("/filtered")) {
			throw new LockNotAcquiredException("In a filter");
		}
	}

	static class StockService {

		@DistributedLock(key = "'" + KEY + "'", waitTime = "0s")
		String deduct() {
			return "done";
		}

		/** The table of this store does not exist. */
		@DistributedLock(key = "'" + KEY + "'", registry = "jdbc", waitTime = "0s")
		String deductFromDatabase() {
			return "done";
		}

		@DistributedLock(key = "'" + KEY + "'", maxWaiting = "1")
		String limited() {
			return "done";
		}

		@DistributedLock(key = "'" + KEY + "'", permits = "2", waitTime = "0s")
		String permit() {
			return "done";
		}

		@DistributedLock(key = "'" + KEY + "'", permits = "2", waitTime = "100ms")
		Mono<String> waitingPermit() {
			return Mono.just("done");
		}

		@DistributedLock(key = "'" + KEY + "'", maxWaiting = "1")
		Mono<String> limitedMono() {
			return Mono.just("done");
		}

		@DistributedLock(key = "'" + KEY + "'", waitTime = "0s")
		Mono<String> mono() {
			return Mono.just("done");
		}

		@DistributedLock(key = "'" + KEY + "'", waitTime = "0s")
		CompletableFuture<String> future() {
			return CompletableFuture.completedFuture("done");
		}

	}

	@RestController
	static class Controller {

		@Autowired
		private StockService stock;

		@Autowired
		private LockRegistry registry;

		/** In a reactive application, not on the event loop. */
		@GetMapping("/{path:deduct|joined|got|limited|permit|store|named|unnamed}")
		Mono<String> onNewThread(@PathVariable String path) {
			return Mono.fromCallable(call(path)).subscribeOn(NEW_THREAD);
		}

		private Callable<String> call(String path) {
			return switch (path) {
				case "deduct" -> this.stock::deduct;
				case "joined" -> () -> CompletableFuture.supplyAsync(this.stock::deduct).join();
				case "got" -> () -> CompletableFuture.supplyAsync(this.stock::deduct).get();
				case "limited" -> this.stock::limited;
				case "permit" -> this.stock::permit;
				case "store" -> this.stock::deductFromDatabase;
				case "named" -> () -> acquire(LockRequest.of(KEY).name("checkout"));
				default -> () -> acquire(LockRequest.of(KEY));
			};
		}

		@GetMapping("/{path:mono|waiting-permit|limited-mono}")
		Mono<String> mono(@PathVariable String path) {
			return switch (path) {
				case "mono" -> this.stock.mono();
				case "waiting-permit" -> this.stock.waitingPermit();
				default -> this.stock.limitedMono();
			};
		}

		@GetMapping("/future")
		CompletableFuture<String> future() {
			return this.stock.future();
		}

		@GetMapping("/asynchronous")
		CompletableFuture<String> asynchronous() {
			return this.registry.acquireAsync(LockRequest.of(KEY).name("checkout").waitTime(ZERO))
				.thenApply(HeldLock::key);
		}

		@GetMapping("/{path:blocking|lost|wrapped}")
		String blocking(@PathVariable String path) {
			return switch (path) {
				case "blocking" -> this.stock.deduct();
				case "lost" -> throw new LockLostException("Lock '" + KEY + "' was lost");
				default ->
					throw new IllegalStateException(new LockNotAcquiredException("The cause of another exception"));
			};
		}

		private String acquire(LockRequest request) {
			try (HeldLock lock = this.registry.acquire(request.waitTime(ZERO))) {
				return lock.key();
			}
		}

	}

	@Endpoint(id = "stock")
	static class StockEndpoint {

		@Autowired
		private StockService stock;

		@ReadOperation
		String deduct() {
			return this.stock.deduct();
		}

	}

}
