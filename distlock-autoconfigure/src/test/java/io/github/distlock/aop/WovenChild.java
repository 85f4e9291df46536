package io.github.distlock.aop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.distlock.LockDefinitionException;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.NameMatchMethodPointcutAdvisor;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * A JVM with a weaver: plays the scenes whose names it reads, and prints what was locked.
 */
final class WovenChild {

	private static final Map<String, Supplier<Object>> SCENES = Map.ofEntries(
			Map.entry("self-invocation", () -> woven((wares, locks) -> wares.callsItself("7"))),
			Map.entry("private", () -> woven((wares, locks) -> wares.callsPrivate("7"))),
			Map.entry("from-outside", () -> woven((wares, locks) -> wares.deduct("7"))),
			Map.entry("stage", () -> woven((wares, locks) -> wares.stage("7").join())),
			Map.entry("mono", () -> woven((wares, locks) -> wares.mono("7").repeat(1).blockLast())),
			Map.entry("composed", () -> woven((wares, locks) -> wares.composed())),
			Map.entry("failing", () -> woven((wares, locks) -> thrownBy(wares::failing))),
			Map.entry("static", () -> woven((wares, locks) -> WovenWares.count(locks, "7"))),
			Map.entry("no-bean", () -> woven((wares, locks) -> new WovenWares(locks).deduct("7"))),
			Map.entry("whole-class", () -> wholeClass(false)), Map.entry("proxied-class", () -> wholeClass(true)),
			Map.entry("interface", () -> refusalOf(WovenWares.OfInterface.class)),
			Map.entry("interface-type",
					() -> eventsOf(WovenWares.OfAnnotatedType.class, WovenWares.OfAnnotatedType::method)),
			Map.entry("part", () -> eventsOf(WovenWares.Part.class, (part) -> {
				part.one();
				part.own();
			})), Map.entry("transaction", () -> refusalOf(WovenWares.InTransaction.class)),
			Map.entry("no-application", WovenChild::noApplication),
			Map.entry("proxy-mode", () -> proxied((wares) -> wares.deduct("7"))),
			Map.entry("proxy-mode-self", () -> proxied((wares) -> wares.callsItself("7"))),
			Map.entry("two-applications", WovenChild::twoApplications), Map.entry("ambiguous", WovenChild::ambiguous),
			Map.entry("beside-a-proxy", WovenChild::besideAProxy));

	private static final MethodInterceptor PASSING_ON = MethodInvocation::proceed;

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

	private static Object woven(BiConsumer<WovenWares, InMemoryLocks> call) {
		try (AnnotationConfigApplicationContext context = start(WovenWares.class)) {
			InMemoryLocks locks = context.getBean(InMemoryLocks.class);
			call.accept(context.getBean(WovenWares.class), locks);
			return locks.events;
		}
	}

	private static Object wholeClass(boolean proxied) {
		LockedApplication application = LockedApplication.of(WovenWares.Whole.class)
			.with("mode", AopMode.ASPECTJ)
			.with((context) -> {
				if (proxied) {
					NameMatchMethodPointcutAdvisor advisor = new NameMatchMethodPointcutAdvisor(PASSING_ON);
					advisor.setMappedName("one");
					context.registerBean("advisor", Advisor.class, () -> advisor,
							(definition) -> definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE));
				}
			});
		try (AnnotationConfigApplicationContext context = application.start()) {
			context.getBean(WovenWares.Whole.class).one();
			return context.getBean(InMemoryLocks.class).events;
		}
	}

	private static <T> Object eventsOf(Class<T> bean, Consumer<T> call) {
		try (AnnotationConfigApplicationContext context = start(bean)) {
			call.accept(context.getBean(bean));
			return context.getBean(InMemoryLocks.class).events;
		}
	}

	private static Object noApplication() {
		InMemoryLocks locks = new InMemoryLocks();
		new WovenWares(locks).deduct("7");
		return locks.events;
	}

	private static Object proxied(Consumer<ProxiedWares> call) {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(ProxiedWares.class).start()) {
			call.accept(context.getBean(ProxiedWares.class));
			return context.getBean(InMemoryLocks.class).events;
		}
	}

	private static Object twoApplications() {
		try (AnnotationConfigApplicationContext one = start(WovenWares.class);
				AnnotationConfigApplicationContext other = start(WovenWares.class)) {
			one.getBean(WovenWares.class).deduct("1");
			other.getBean(WovenWares.class).deduct("2");
			return one.getBean(InMemoryLocks.class).events + " " + other.getBean(InMemoryLocks.class).events;
		}
	}

	private static Object refusalOf(Class<?> bean) {
		try (AnnotationConfigApplicationContext context = start(bean)) {
			return "not refused";
		}
		catch (LockDefinitionException ex) {
			return "refused: " + ex.getMessage();
		}
		catch (BeanCreationException ex) {
			return "refused: " + ex.getMostSpecificCause().getMessage();
		}
	}

	private static Object ambiguous() {
		try (AnnotationConfigApplicationContext one = start(WovenWares.class);
				AnnotationConfigApplicationContext other = start(WovenWares.class)) {
			WovenWares.count(one.getBean(InMemoryLocks.class), "7");
			return "not refused";
		}
		catch (LockDefinitionException ex) {
			return "refused: " + ex.getMessage();
		}
	}

	private static Object besideAProxy() {
		try (AnnotationConfigApplicationContext woven = start(WovenWares.class);
				AnnotationConfigApplicationContext proxied = LockedApplication.of(ProxiedWares.class).start()) {
			proxied.getBean(ProxiedWares.class).deduct("7");
			return woven.getBean(InMemoryLocks.class).events + " " + proxied.getBean(InMemoryLocks.class).events;
		}
	}

	private static void thrownBy(Runnable call) {
		try {
			call.run();
		}
		catch (IllegalArgumentException ex) {
			// As expected: the method's own.
		}
	}

	private static AnnotationConfigApplicationContext start(Class<?> bean) {
		return LockedApplication.of(bean).with("mode", AopMode.ASPECTJ).start();
	}

}
