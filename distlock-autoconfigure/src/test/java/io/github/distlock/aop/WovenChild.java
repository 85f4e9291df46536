package io.github.distlock.aop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.distlock.DistributedLock;
import io.github.distlock.aop.LockedApplication.Recording;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import reactor.core.publisher.Mono;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.NameMatchMethodPointcutAdvisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * A JVM with a weaver: plays the scenes whose names it reads, and prints what was locked.
 */
final class WovenChild {

	private static final Map<String, Supplier<Object>> SCENES = Map.ofEntries(
			Map.entry("self-invocation", () -> woven((wares) -> wares.callsItself("7"))),
			Map.entry("private", () -> woven((wares) -> wares.callsPrivate("7"))),
			Map.entry("from-outside", () -> woven((wares) -> wares.deduct("7"))),
			Map.entry("stage", () -> woven((wares) -> wares.stage("7").join())),
			Map.entry("mono", () -> woven((wares) -> wares.mono("7").repeat(1).blockLast())),
			Map.entry("composed", () -> woven(Wares::composed)),
			Map.entry("failing", () -> woven((wares) -> catchThrowable(wares::failing))),
			Map.entry("static", () -> woven((wares) -> Wares.count(wares.locks, "7"))),
			Map.entry("no-bean", () -> woven((wares) -> noBean(wares.locks))),
			Map.entry("whole-class", () -> events(Whole.class, Whole::one)),
			Map.entry("proxied-class", WovenChild::proxiedClass),
			Map.entry("interface", () -> refusal(() -> start(OfInterface.class))),
			Map.entry("interface-type", () -> events(OfAnnotatedType.class, OfAnnotatedType::method)),
			Map.entry("part", () -> events(Part.class, (part) -> {
				part.one();
				part.own();
			})), Map.entry("transaction", () -> refusal(() -> start(InTransaction.class))),
			Map.entry("no-application", () -> noBean(new InMemoryLocks())),
			Map.entry("proxy-mode", () -> proxied((wares) -> wares.deduct("7"))),
			Map.entry("proxy-mode-self", () -> proxied((wares) -> wares.callsItself("7"))),
			Map.entry("two-applications", WovenChild::twoApplications),
			Map.entry("ambiguous", () -> refusal(WovenChild::ambiguous)),
			Map.entry("beside-a-proxy", WovenChild::besideAProxy));

	private WovenChild() {
	}

	public static void main(String[] args) throws IOException {
		PrintStream out = System.out;
		out.println("started");
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line; (line = in.readLine()) != null;) {
			out.println("said " + line + " " + play(line));
		}
		Runtime.getRuntime().halt(0);
	}

	private static Object play(String scene) {
		try {
			return SCENES.getOrDefault(scene, () -> "unknown").get();
		}
		catch (RuntimeException | Error ex) {
			return ex;
		}
	}

	private static LockedApplication application(Class<?> bean) {
		return LockedApplication.of(bean).with("mode", AopMode.ASPECTJ);
	}

	private static AnnotationConfigApplicationContext start(Class<?> bean) {
		return application(bean).start();
	}

	private static <T> Object events(Class<T> bean, Consumer<T> call) {
		return application(bean).call(bean, call).events;
	}

	private static Object woven(Consumer<Wares> call) {
		return events(Wares.class, call);
	}

	private static Object proxied(Consumer<ProxiedWares> call) {
		return LockedApplication.of(ProxiedWares.class).call(ProxiedWares.class, call).events;
	}

	private static Object proxiedClass() {
		NameMatchMethodPointcutAdvisor advisor = new NameMatchMethodPointcutAdvisor(
				(MethodInterceptor) MethodInvocation::proceed);
		advisor.setMappedName("one");
		return application(Whole.class)
			.with((context) -> context.registerBean("advisor", Advisor.class, () -> advisor,
					(definition) -> definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE)))
			.call(Whole.class, Whole::one).events;
	}

	private static Object noBean(InMemoryLocks locks) {
		Wares wares = new Wares();
		wares.locks = locks;
		wares.deduct("7");
		return locks.events;
	}

	private static Object twoApplications() {
		try (AnnotationConfigApplicationContext one = start(Wares.class);
				AnnotationConfigApplicationContext other = start(Wares.class)) {
			one.getBean(Wares.class).deduct("1");
			other.getBean(Wares.class).deduct("2");
			return one.getBean(Wares.class).locks.events + " " + other.getBean(Wares.class).locks.events;
		}
	}

	private static void ambiguous() {
		try (AnnotationConfigApplicationContext one = start(Wares.class);
				AnnotationConfigApplicationContext other = start(Wares.class)) {
			Wares.count(one.getBean(InMemoryLocks.class), "7");
		}
	}

	private static Object besideAProxy() {
		try (AnnotationConfigApplicationContext woven = start(Wares.class)) {
			return woven.getBean(Wares.class).locks.events + " " + proxied((wares) -> wares.deduct("7"));
		}
	}

	private static Object refusal(ThrowingCallable call) {
		Throwable refusal = catchThrowable(call);
		return (refusal != null) ? "refused: " + NestedExceptionUtils.getMostSpecificCause(refusal).getMessage()
				: "not refused";
	}

	/** Methods that no proxy can lock: a final class that calls itself. */
	static final class Wares extends Recording {

		void callsItself(String id) {
			deduct(id);
		}

		void callsPrivate(String id) {
			hidden(id);
		}

		@DistributedLock("'public-' + #id")
		public String deduct(String id) {
			return this.locks.run();
		}

		@DistributedLock("'private-' + #id")
		private void hidden(String id) {
			this.locks.run();
		}

		@DistributedLock("'stage-' + #id")
		CompletableFuture<String> stage(String id) {
			return CompletableFuture.supplyAsync(this.locks::run);
		}

		@DistributedLock("'mono-' + #id")
		Mono<String> mono(String id) {
			this.locks.events.add("call");
			return Mono.fromSupplier(this.locks::run);
		}

		@Counted
		final void composed() {
			this.locks.run();
		}

		@DistributedLock("'throwing'")
		void failing() {
			this.locks.run();
			throw new IllegalArgumentException("of the method");
		}

		@DistributedLock("'static-' + #id")
		static void count(InMemoryLocks locks, String id) {
			locks.run();
		}

	}

	/** Methods that a proxy can lock, called from outside and from inside. */
	static class ProxiedWares extends Recording {

		public void callsItself(String id) {
			deduct(id);
		}

		@DistributedLock("'public-' + #id")
		public void deduct(String id) {
			this.locks.run();
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock("'composed'")
	@interface Counted {

	}

	/** AspectJ does not find this annotation, because it is not on the method. */
	interface Annotated {

		@DistributedLock("'interface'")
		void method();

	}

	static class OfInterface implements Annotated {

		@Override
		public void method() {
		}

	}

	/** The weaver finds this annotation, because it is on the interface itself. */
	@DistributedLock("'whole-interface'")
	interface AnnotatedType {

		void method();

	}

	static class OfAnnotatedType extends Recording implements AnnotatedType {

		@Override
		public void method() {
			this.locks.run();
		}

	}

	@DistributedLock("'whole'")
	static class Whole extends Recording {

		public void one() {
			this.locks.run();
			notPublic();
		}

		void notPublic() {
			this.locks.run();
		}

	}

	/** Inherits the annotation of its super class. */
	static class Part extends Whole {

		@Override
		public void one() {
			super.notPublic();
		}

		public void own() {
			super.notPublic();
		}

	}

	/** Has a transaction by a proxy. */
	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class InTransaction {

		@DistributedLock("'transaction'")
		@Transactional
		public void method() {
		}

	}

}
