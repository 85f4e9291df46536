package io.github.distlock.structure;

import java.lang.instrument.Instrumentation;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.utility.JavaModule;
import org.jspecify.annotations.Nullable;

import static net.bytebuddy.matcher.ElementMatchers.any;
import static net.bytebuddy.matcher.ElementMatchers.isConstructor;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;
import static net.bytebuddy.matcher.ElementMatchers.none;
import static net.bytebuddy.matcher.ElementMatchers.not;

/**
 * Records each entry of a method, a constructor or the body of a lambda of the library,
 * and each object of the library that is created, on all threads. Byte Buddy puts the
 * recording in front of the code of each method and behind the code of each constructor
 * while the class is loaded. Nothing is replaced.
 */
public final class MethodEntries {

	private static final String LIBRARY = "io.github.distlock.";

	private static final Queue<Entry> ENTRIES = new ConcurrentLinkedQueue<>();

	private static final Queue<Object> OBJECTS = new ConcurrentLinkedQueue<>();

	private static final Queue<String> FAILURES = new ConcurrentLinkedQueue<>();

	private static volatile boolean recording;

	private MethodEntries() {
	}

	/** To be called before the first class of the library is loaded. */
	static void install(Instrumentation instrumentation) {
		new AgentBuilder.Default().disableClassFormatChanges()
			.with(AgentBuilder.TypeStrategy.Default.DECORATE)
			.with(new FailedTypes())
			.ignore(none())
			.type(nameStartsWith(LIBRARY).and(not(nameStartsWith(MethodEntries.class.getPackageName()))))
			.transform((builder, type, loader, module, domain) -> builder.visit(Advice.to(Recording.class).on(any()))
				.visit(Advice.to(Creation.class).on(isConstructor())))
			.installOn(instrumentation);
	}

	/** What happens during an action, the tests' own classes excluded. */
	static Call during(Runnable action) {
		ENTRIES.clear();
		OBJECTS.clear();
		recording = true;
		action.run();
		recording = false;
		if (!FAILURES.isEmpty()) {
			throw new IllegalStateException("Not recorded: " + FAILURES);
		}
		return new Call(List.copyOf(ENTRIES), classesOfObjects());
	}

	/** A constructor that calls another one of its class records the object twice. */
	private static List<String> classesOfObjects() {
		Set<Object> objects = Collections.newSetFromMap(new IdentityHashMap<>());
		objects.addAll(OBJECTS);
		return objects.stream().map((object) -> object.getClass().getName()).toList();
	}

	/** Called by each method of the library. */
	public static void entered(String type, String method, String descriptor) {
		if (recording) {
			ENTRIES.add(
					new Entry(type, method, descriptor, method.startsWith("attempt") ? framesFromTheInterceptor() : 0));
		}
	}

	/** Called at the end of each constructor of the library. */
	public static void constructed(Object object, String constructorType) {
		if (recording && object.getClass().getName().equals(constructorType)) {
			OBJECTS.add(object);
		}
	}

	private static int framesFromTheInterceptor() {
		List<String> frames = StackWalker.getInstance()
			.walk((walked) -> walked.map(StackWalker.StackFrame::getClassName)
				.filter(Predicate.not(MethodEntries.class.getName()::equals))
				.toList());
		return frames.lastIndexOf(LIBRARY + "aop.LockInterceptor") + 1;
	}

	/** The entries in the order of time on each thread, and the classes of objects. */
	record Call(List<Entry> entries, List<String> objects) {
	}

	/** An attempt has the number of frames from the interceptor to it, both included. */
	record Entry(String type, String method, String descriptor, int frames) {

		String topLevelType() {
			return this.type.replaceAll("\\$.*", "");
		}

		/** Whether a store begins its attempt here. */
		boolean isAttemptOfStore() {
			return this.method.startsWith("attempt") && this.type.endsWith("Store")
					&& this.type.matches(LIBRARY + "backend\\.\\w+\\.\\w+");
		}

	}

	static final class Recording {

		private Recording() {
		}

		@Advice.OnMethodEnter
		static void enter(@Advice.Origin("#t") String type, @Advice.Origin("#m") String method,
				@Advice.Origin("#d") String descriptor) {
			MethodEntries.entered(type, method, descriptor);
		}

	}

	static final class Creation {

		private Creation() {
		}

		@Advice.OnMethodExit
		static void exit(@Advice.This Object object, @Advice.Origin("#t") String type) {
			MethodEntries.constructed(object, type);
		}

	}

	/** A type that could not be instrumented would be missing in the counts. */
	private static final class FailedTypes extends AgentBuilder.Listener.Adapter {

		@Override
		public void onError(String type, @Nullable ClassLoader loader, @Nullable JavaModule module, boolean loaded,
				Throwable failure) {
			FAILURES.add(type + ": " + failure);
		}

	}

}
