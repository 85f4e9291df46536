package io.github.distlock.structure;

import java.lang.instrument.Instrumentation;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.utility.JavaModule;
import org.jspecify.annotations.Nullable;

import static net.bytebuddy.matcher.ElementMatchers.any;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;
import static net.bytebuddy.matcher.ElementMatchers.none;
import static net.bytebuddy.matcher.ElementMatchers.not;

/**
 * Records each entry of a method, a constructor or the body of a lambda of the library,
 * on all threads. Byte Buddy puts the recording in front of the code of each method while
 * its class is loaded. Nothing is replaced.
 */
public final class MethodEntries {

	private static final String LIBRARY = "io.github.distlock.";

	private static final Queue<Entry> ENTRIES = new ConcurrentLinkedQueue<>();

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
			.transform((builder, type, loader, module, domain) -> builder.visit(Advice.to(Recording.class).on(any())))
			.installOn(instrumentation);
	}

	/** The entries during an action, the bodies of the tests' own classes excluded. */
	static List<Entry> during(Runnable action) {
		ENTRIES.clear();
		recording = true;
		action.run();
		recording = false;
		if (!FAILURES.isEmpty()) {
			throw new IllegalStateException("Not recorded: " + FAILURES);
		}
		return List.copyOf(ENTRIES);
	}

	/** Called by each method of the library. */
	public static void entered(String type, String method) {
		if (recording) {
			ENTRIES.add(new Entry(Thread.currentThread().getName(), type, method,
					method.startsWith("attempt") ? framesFromTheInterceptor() : 0));
		}
	}

	private static int framesFromTheInterceptor() {
		List<String> frames = StackWalker.getInstance()
			.walk((walked) -> walked.map(StackWalker.StackFrame::getClassName)
				.filter(Predicate.not(MethodEntries.class.getName()::equals))
				.toList());
		return frames.lastIndexOf(LIBRARY + "aop.LockInterceptor") + 1;
	}

	/**
	 * An entry.
	 *
	 * @param thread the name of its thread
	 * @param type the name of the class
	 * @param method the name of the method
	 * @param frames for an attempt, the number of frames from the interceptor to this
	 * method, both included
	 */
	record Entry(String thread, String type, String method, int frames) {

		String topLevelType() {
			return this.type.replaceAll("\\$.*", "");
		}

		String packageName() {
			return this.type.substring(0, this.type.lastIndexOf('.'));
		}

		/** Whether a store begins its attempt here. */
		boolean isAttemptOfStore() {
			return this.method.startsWith("attempt") && this.type.endsWith("Store")
					&& this.type.matches(LIBRARY + "backend\\.\\w+\\.\\w+");
		}

	}

	/** The code in front of each method. */
	static final class Recording {

		private Recording() {
		}

		@Advice.OnMethodEnter
		static void enter(@Advice.Origin("#t") String type, @Advice.Origin("#m") String method) {
			MethodEntries.entered(type, method);
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
