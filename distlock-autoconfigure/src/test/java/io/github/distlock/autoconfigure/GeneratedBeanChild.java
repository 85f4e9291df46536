package io.github.distlock.autoconfigure;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockNotAcquiredException;

/**
 * A JVM with a locked bean whose class is generated: {@code lambda} or {@code proxy}.
 * Reads commands from its input: {@code run} and {@code runOfClass} call the bean, which
 * waits for the line {@code return}.
 */
final class GeneratedBeanChild {

	private static final PrintStream OUT = System.out;

	private static final BufferedReader IN = new BufferedReader(
			new InputStreamReader(System.in, StandardCharsets.UTF_8));

	private GeneratedBeanChild() {
	}

	public static void main(String[] args) {
		// Generated classes must have other names than in other JVMs.
		List<Object> others = new ArrayList<>();
		for (int i = 0; i < Integer.parseInt(args[2]); i++) {
			Class<?>[] types = { Work.class, List.of(Runnable.class, Comparable.class, Supplier.class).get(i % 3) };
			others.add(proxy(types));
		}
		Work work = args[1].equals("lambda") ? () -> inside() : (Work) proxy(Work.class);
		Contexts.withRedis()
			.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + args[0])
			.withBean("work", Work.class, () -> work)
			.run((context) -> {
				OUT.println("class " + work.getClass().getName() + " beside " + others.size());
				OUT.println("started");
				obey(context.getBean(Work.class));
			});
	}

	private static void obey(Work work) throws IOException {
		for (String line; (line = IN.readLine()) != null;) {
			try {
				if (line.equals("run")) {
					work.run();
				}
				else {
					work.runOfClass();
				}
				OUT.println("returned");
			}
			catch (LockNotAcquiredException ex) {
				OUT.println("refused " + ex.getMessage());
			}
		}
		Runtime.getRuntime().halt(0);
	}

	private static Object proxy(Class<?>... types) {
		return Proxy.newProxyInstance(Work.class.getClassLoader(), types, (self, method, arguments) -> {
			switch (method.getName()) {
				case "hashCode":
					return System.identityHashCode(self);
				case "equals":
					return self == arguments[0];
				case "toString":
					return "proxy";
				default:
					inside();
					return null;
			}
		});
	}

	private static void inside() {
		OUT.println("inside");
		try {
			IN.readLine();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	interface Work {

		@DistributedLock(waitTime = "0")
		void run();

		@DistributedLock(key = "'of-' + #root.targetClass.name", waitTime = "0")
		default void runOfClass() {
			run();
		}

	}

}
