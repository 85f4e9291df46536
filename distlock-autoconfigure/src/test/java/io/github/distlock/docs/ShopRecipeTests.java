package io.github.distlock.docs;

import java.security.Principal;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.ReactiveLockContext;
import io.github.distlock.backend.ControlledLock;
import io.github.distlock.docs.Example.Report;
import io.github.distlock.docs.Example.SearchIndex;
import io.github.distlock.docs.RecipeNode.Work;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.TcpProxy;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.beans.BeanUtils;
import org.springframework.http.HttpStatus;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

/**
 * Runs the recipes that are methods, calls of a registry, or reactive code without the
 * annotation, on two nodes.
 */
class ShopRecipeTests {

	@AutoClose
	private static final RedisTestServer redis = RedisTestServer.start();

	/** What both nodes did. */
	private final List<String> done = new CopyOnWriteArrayList<>();

	@AutoClose
	private final RecipeNode one = start("shop:");

	@AutoClose
	private final RecipeNode two = start("shop:");

	private RecipeNode start(String prefix) {
		Stream<Class<?>> methods = Stream
			.of("reserve", "refreshIndex", "pay", "report", "ship", "createReport", "reportOf", "underLock")
			.map(RecipeNode::code);
		return RecipeNode.start(redis, this.done, List.of("distlock.key-prefix=" + prefix),
				methods.toArray(Class<?>[]::new));
	}

	@Test
	void twoArgumentsWithASeparatorAreOneLockForEachPair() {
		try (HeldLock lock = this.one.lock("seat-1/23")) {
			this.two.call("reserve", "12", 3);
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.two.call("reserve", "1", 23));
		}
		assertThat(this.done).containsExactly("reserved 12 3");
	}

	@Test
	void aLockThatIsTakenIsStatus409AndTellsNothing() throws Exception {
		MockMvc mvc = MockMvcBuilders.standaloneSetup(new Payments(this.two))
			.setControllerAdvice(BeanUtils.instantiateClass(RecipeNode.code("LockErrors")))
			.build();
		try (HeldLock lock = this.one.lock("pay-42")) {
			var response = mvc.perform(post("/pay")).andReturn().getResponse();
			assertThat(response.getStatus()).isEqualTo(HttpStatus.CONFLICT.value());
			assertThat(response.getContentAsString()).contains("Another request").doesNotContain("pay-42", "pid");
		}
		assertThat(mvc.perform(post("/pay")).andReturn().getResponse().getStatus()).isEqualTo(200);
	}

	@Test
	void aStoreThatIsDownIsStatus503() throws Exception {
		MockMvc mvc = MockMvcBuilders.standaloneSetup(new Payments(this.two))
			.setControllerAdvice(BeanUtils.instantiateClass(RecipeNode.code("LockErrors")))
			.build();
		this.two.close();
		assertThat(mvc.perform(post("/pay")).andReturn().getResponse().getStatus()).isEqualTo(503);
	}

	@Test
	void theIndexOfATenantIsBuiltOnceInThirtySeconds() {
		this.one.call("refreshIndex", "a");
		this.two.call("refreshIndex", "a");
		this.one.call("refreshIndex", "a");
		this.two.call("refreshIndex", "b");
		assertThat(this.done).containsExactly("rebuilt a", "rebuilt b");
	}

	@Test
	void aSecondPaymentIsRefusedAlsoAfterOneThatFailed() {
		assertThatException().isThrownBy(() -> this.one.call("pay", "too-much"))
			.isInstanceOf(IllegalArgumentException.class);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.two.call("pay", "too-much"));
	}

	@Test
	void eachUserHasOneReportAtATime() {
		Principal ann = () -> "ann";
		Principal bob = () -> "bob";
		try (HeldLock lock = this.one.lock("report-ann")) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.two.call("report", ann))
				.withMessageContaining("report-ann");
			this.two.call("report", bob);
		}
		this.two.call("report", ann);
		assertThat(this.done).containsExactly("report of bob", "report of ann");
	}

	@Test
	void servicesShareTheLocksOfTheirPrefixAndNoOthers() {
		try (RecipeNode other = start("billing:"); HeldLock lock = this.one.lock("order-42")) {
			other.call("ship", "42");
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.two.call("ship", "42"));
		}
		assertThat(this.done).containsExactly("paid 42");
	}

	@Test
	void theSharedAnnotationNeedsTheNameOfItsParameter() {
		assertThatException()
			.isThrownBy(
					() -> RecipeNode.start(redis, this.done, List.of(), RecipeNode.code("shipWithWrongName")).close())
			.havingCause()
			.isInstanceOf(LockDefinitionException.class)
			.withMessageContaining("orderId");
	}

	@Test
	void eachAcquisitionPassesThroughTheRegistryAroundThatOfTheStore() {
		List<Object> requests = new CopyOnWriteArrayList<>();
		try (RecipeNode audited = RecipeNode.start(redis, (context) -> {
			context.registerBean("audit", Consumer.class, () -> (request) -> requests.add(request));
			context.registerBean(Work.class, () -> new Work(this.done));
		}, List.of(), RecipeNode.code("AuditedLocks"), RecipeNode.code("reserve"))) {
			audited.call("reserve", "12", 3);
			assertThat(requests).singleElement().asString().contains("seat-12/3");
		}
	}

	@Test
	void aReportOfAReactiveCallerIsCreatedUnderTheLockAndReleasesItWithoutAThread() {
		Mono<Report> report = this.two.call("reportOf", "ann");
		assertThat(report.block()).isEqualTo(new Report("ann"));
		this.one.lock("report-ann").close();
		assertThat(this.done).containsExactly("report of ann");
	}

	@Test
	void aReportIsCreatedOrTheAnswerSaysWhyNot() {
		try (HeldLock lock = this.one.lock("report-ann")) {
			assertThat(this.two.<String>call("createReport", "ann")).isEqualTo("Not now: TIMEOUT");
		}
		assertThat(this.two.<String>call("createReport", "ann")).isEqualTo("Created");
		assertThat(this.done).containsExactly("report of ann");
	}

	@Test
	void workStopsBeforeItsLockIsLost() throws Exception {
		try (RedisNodes nodes = RedisNodes.start(); TcpProxy proxy = new TcpProxy(nodes.server().port())) {
			BackendLockRegistry registry = nodes.nodeBehind(proxy.port(), RedisNodes.settings(Duration.ofSeconds(24)),
					List.of());
			Object indexer = BeanUtils.instantiateClass(RecipeNode.code("rebuild"));
			ReflectionTestUtils.setField(indexer, "locks", registry);
			ReflectionTestUtils.setField(indexer, "index", (SearchIndex) (tenant) -> {
				proxy.holdBack(true);
				LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
			});
			List<String> endless = Collections.nCopies(Integer.MAX_VALUE, "a");
			// Its close() would tell a loss.
			assertThat(ReflectionTestUtils.<Integer>invokeMethod(indexer, "rebuild", endless)).isBetween(1,
					Integer.MAX_VALUE - 1);
			nodes.stopNodes();
		}
	}

	@RestController
	static class Payments {

		private final Object shop;

		Payments(RecipeNode node) {
			this.shop = node.bean(RecipeNode.code("pay"));
		}

		@PostMapping("/pay")
		void pay() {
			ReflectionTestUtils.invokeMethod(this.shop, "pay", "42");
		}

	}

	private static final LockRequest STOCK = LockRequest.of("stock-42").waitTime(Duration.ZERO);

	private static <T> Mono<T> underLock(RecipeNode node, LockRequest request, Mono<T> work) {
		return node.call("underLock", request, work);
	}

	@Test
	void theLockIsHeldFromTheSubscriptionUntilTheWorkHasEnded() throws InterruptedException {
		CountDownLatch running = new CountDownLatch(1);
		Sinks.One<String> work = Sinks.one();
		Mono<String> locked = underLock(this.one, STOCK,
				work.asMono().doOnSubscribe((subscription) -> running.countDown()));
		this.two.lock("stock-42").close();
		CompletableFuture<String> result = locked.toFuture();
		assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> underLock(this.two, STOCK, Mono.just("other")).block());
		work.tryEmitValue("done");
		assertThat(result.join()).isEqualTo("done");
		this.two.lock("stock-42").close();
	}

	@Test
	void theWorkSeesItsLocksInTheirOrder() {
		Mono<List<String>> keys = Mono.deferContextual(
				(context) -> Mono.just(ReactiveLockContext.all(context).stream().map(HeldLock::key).toList()));
		assertThat(underLock(this.one, STOCK, underLock(this.one, LockRequest.of("order-7"), keys)).block())
			.containsExactly("order-7", "stock-42");
	}

	@Test
	void workThatFailsReleasesItsLock() {
		Mono<String> failing = underLock(this.one, STOCK, Mono.error(new IllegalArgumentException("wrong")));
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(failing::block);
		this.two.lock("stock-42").close();
	}

	@Test
	void aCancelledSubscriptionReleasesItsLock() throws InterruptedException {
		CountDownLatch running = new CountDownLatch(1);
		Mono<String> endless = Mono.<String>never().doOnSubscribe((subscription) -> running.countDown());
		Disposable subscription = underLock(this.one, STOCK, endless).subscribe();
		assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();
		subscription.dispose();
		awaitFree();
	}

	@Test
	void aCancelledWaitLeavesTheQueue() {
		try (HeldLock lock = this.two.lock("stock-42")) {
			underLock(this.one, STOCK.waitTime(Duration.ofMinutes(1)), Mono.just("late")).subscribe().dispose();
		}
		awaitFree();
	}

	@Test
	void aLockThatIsLostIsAnErrorInPlaceOfTheResult() {
		Mono<String> work = ReactiveLockContext.current()
			.doOnNext((lock) -> ControlledLock.expireAfter(lock, Duration.ofMillis(100)))
			.flatMap((lock) -> Mono.delay(Duration.ofMillis(10)).repeat(lock::isHeld).then(Mono.just("late")));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> underLock(this.one, STOCK, work).block());
	}

	private void awaitFree() {
		await().until(() -> {
			Optional<HeldLock> lock = this.two.bean(LockRegistry.class).tryAcquire(STOCK);
			lock.ifPresent(HeldLock::close);
			return lock.isPresent();
		});
	}

}
