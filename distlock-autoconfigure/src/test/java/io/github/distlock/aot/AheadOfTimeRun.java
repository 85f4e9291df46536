package io.github.distlock.aot;

import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.awaitility.Awaitility;

import org.springframework.aop.support.AopUtils;
import org.springframework.aot.AotDetector;
import org.springframework.aot.agent.RecordedInvocation;
import org.springframework.aot.agent.RecordedInvocationsListener;
import org.springframework.aot.agent.RecordedInvocationsPublisher;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.boot.SpringApplication;
import org.springframework.cglib.core.ReflectUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Starts the application, uses all its features, and prints the reflective calls for
 * which there is no hint.
 */
final class AheadOfTimeRun {

	private static final PrintStream OUT = System.out;

	public static void main(String[] arguments) {
		OUT.println("started");
		List<RecordedInvocation> recorded = Collections.synchronizedList(new ArrayList<>());
		Set<String> generated = Collections.synchronizedSet(new TreeSet<>());
		RecordedInvocationsListener listener = recorded::add;
		if (AotDetector.useGeneratedArtifacts()) {
			RecordedInvocationsPublisher.addListener(listener);
			ReflectUtils.setGeneratedClassHandler((name, content) -> generated.add(name));
		}
		// Its exceptions end the run during the build.
		ConfigurableApplicationContext context = new SpringApplication(AheadOfTimeApplication.class).run(arguments);
		try (context) {
			new AheadOfTimeRun(context).useAll();
			OUT.println("used every feature");
			OUT.println("proxy " + context.getBean(LockedWork.class).getClass().getName());
		}
		catch (Throwable ex) {
			ex.printStackTrace(OUT);
			OUT.println("checked");
			System.exit(1);
		}
		RecordedInvocationsPublisher.removeListener(listener);
		OUT.println("recorded " + recorded.size());
		generated.forEach((name) -> OUT.println("generated " + name));
		UnhintedCalls.of(recorded).forEach((call) -> OUT.println("unhinted " + call));
		OUT.println("checked");
		System.exit(0);
	}

	private final ApplicationContext context;

	private final HttpClient http = HttpClient.newHttpClient();

	private AheadOfTimeRun(ApplicationContext context) {
		this.context = context;
	}

	private void useAll() throws Exception {
		useStores();
		useKeys();
		useFailures();
		useLater();
		useTypes();
		useActuator();
		assertThat(AheadOfTimeApplication.released).contains("jdbc", "zookeeper", "redlock");
	}

	private <T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	private void useStores() {
		var work = bean(LockedWork.class);
		assertThat(work.redis(1)).containsExactly("redis-1");
		assertThat(work.jdbc()).containsExactly("jdbc");
		assertThat(work.zookeeper()).containsExactly("zookeeper");
		assertThat(work.local()).containsExactly("local");
		assertThat(work.composite()).hasSize(1);
		assertThat(work.reading()).containsExactly("shared");
		assertThat(work.writing()).containsExactly("shared");
		assertThat(work.transaction()).containsExactly("transaction");
		// The servers must first have been running for the longest lease.
		Awaitility.await()
			.ignoreExceptionsInstanceOf(LockBackendException.class)
			.untilAsserted(() -> assertThat(work.redlock()).containsExactly("redlock"));
	}

	private void useKeys() {
		var work = bean(LockedWork.class);
		var order = new LockedWork.Order(new LockedWork.OrderId("7"), new LockedWork.Customer("x"));
		assertThat(work.method()).containsExactly(LockedWork.class.getName() + "#method()");
		assertThat(work.nested(order)).containsExactly("record-x");
		assertThat(work.members(new LockedWork.Shelf(3))).containsExactly("3-7");
		UUID identity = UUID.randomUUID();
		assertThat(work.identity(identity)).containsExactly(identity.toString());
		assertThat(work.identifier(order)).containsExactly("7");
		assertThat(work.constant(LockedWork.Colour.RED)).containsExactly("RED");
		assertThat(work.elements(List.of(order))).containsExactly("7");
		assertThat(work.bean()).containsExactly("tenant-suffix");
		assertThat(work.members(LocalDate.of(2026, 2, 1), List.of(order))).containsExactly("2-1OWNER-id");
		assertThat(work.root("a")).containsExactly("root-LockedWork-a");
		assertThatThrownBy(() -> work.root(" ")).hasMessageContaining("blank");
		assertThat(work.repeated(1)).containsExactly("first-1", "second-1");
		assertThat(work.repeated(-1)).containsExactly("first--1");
		assertThat(work.composed(1)).containsExactly("composed-1");
		assertThat(work.token(0)).isTrue();
	}

	private void useFailures() throws Exception {
		var work = bean(FailureWork.class);
		LockRegistry registry = bean(LockRegistry.class);
		ExecutorService other = Executors.newSingleThreadExecutor();
		try {
			HeldLock lock = other.submit(() -> registry.acquire(LockRequest.of(FailureWork.KEY))).get();
			assertThat(work.withFallback(3)).isEqualTo("busy 3");
			assertThat(work.withPublicFallback()).isEqualTo("inherited");
			work.skipped();
			assertThat(work.handled()).isEqualTo("handled [" + FailureWork.KEY + "]");
			other.submit(lock::close).get();
		}
		finally {
			other.shutdown();
		}
		assertThat(work.withFallback(3)).isEqualTo("ran 3");
	}

	private void useLater() {
		var work = bean(LockedWork.class);
		assertThat(work.stage().join()).isEqualTo("stage");
		assertThat(work.async().join()).isEqualTo("async");
		assertThat(work.mono().block()).isEqualTo("mono");
		assertThat(work.flux().collectList().block()).containsExactly("flux");
	}

	private void useTypes() {
		var work = bean(ClassWork.class);
		assertThat(work.own()).containsExactly("own");
		assertThat(work.inherited()).containsExactly("inherited");
		LockedWork.InterfaceLocked locked = bean(LockedWork.InterfaceLocked.class);
		assertThat(AopUtils.isJdkDynamicProxy(locked)).isTrue();
		assertThat(locked.work(new LockedWork.Order(new LockedWork.OrderId("7"), new LockedWork.Customer("y"))))
			.containsExactly("interface-y");
		assertThat(locked.other("1")).containsExactly("of-interface");
	}

	private void useActuator() throws Exception {
		LockRegistry zookeeper = BeanFactoryAnnotationUtils
			.qualifiedBeanOfType(this.context.getAutowireCapableBeanFactory(), LockRegistry.class, "zookeeper");
		try (HeldLock lock = bean(LockRegistry.class).acquire(LockRequest.of("seen"));
				HeldLock other = zookeeper.acquire(LockRequest.of("seen-too"))) {
			assertThat(send("GET", "distlocks")).contains("\"held\"", "\"instance\"", "seen");
			assertThat(send("GET", "distlocks/seen?registry=redis")).contains("\"holders\"");
			assertThat(send("GET", "distlocks/seen-too?registry=zookeeper")).contains("\"holders\"");
		}
		assertThat(send("GET", "distlocks/unknown?registry=nonsense")).contains("no registry of this name");
		assertThat(send("DELETE", "distlocks?key=unknown&token=1&registry=redis")).isNotNull();
		assertThat(send("GET", "health")).contains("\"distlock\"", "\"roundTrip");
		assertThat(send("GET", "metrics/distlock.acquire")).contains("LockedWork.redis");
		assertThat(send("GET", "prometheus")).contains("distlock_hold_seconds_count");
	}

	private String send(String method, String path) throws Exception {
		String port = this.context.getEnvironment().getRequiredProperty("local.server.port");
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/actuator/" + path))
			.method(method, HttpRequest.BodyPublishers.noBody())
			.build();
		return this.http.send(request, HttpResponse.BodyHandlers.ofString()).body();
	}

}
