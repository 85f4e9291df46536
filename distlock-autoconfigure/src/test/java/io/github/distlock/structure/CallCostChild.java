package io.github.distlock.structure;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.distlock.DistributedLock;
import io.github.distlock.autoconfigure.DistlockAopAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockLocalAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockRedisAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockTransactionAutoConfiguration;
import io.github.distlock.structure.MethodEntries.Call;
import io.github.distlock.structure.MethodEntries.Entry;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/**
 * An application that calls one annotated method until all is warm, then records further
 * calls and prints the figures of the one with the middle number of method entries. A
 * timer of a background thread may run during some of the calls.
 */
final class CallCostChild {

	private static final int CALLS = 51;

	/** Of a method that is more than an accessor, a delegation or another one-liner. */
	private static final int MIN_CODE_LENGTH = 25;

	private CallCostChild() {
	}

	public static void main(String[] properties) {
		MethodEntries.install(ByteBuddyAgent.getInstrumentation());
		PrintStream out = System.out;
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "logging.level.root=warn")
			.run(properties)) {
			out.println("started");
			Stock stock = context.getBean(Stock.class);
			for (int call = 0; call < CALLS; call++) {
				stock.sell("item");
			}
			List<Call> calls = new ArrayList<>();
			for (int call = 0; call < CALLS; call++) {
				calls.add(MethodEntries.during(() -> stock.sell("item")));
			}
			calls.sort(Comparator.comparing((call) -> call.entries().size()));
			print(calls.get(CALLS / 2), out);
			out.println("entries of all calls: " + calls.stream().map((call) -> call.entries().size()).toList());
			out.println("end");
		}
	}

	private static void print(Call call, PrintStream out) {
		List<Method> methods = methods(call);
		SortedSet<String> types = call.entries()
			.stream()
			.map(Entry::topLevelType)
			.collect(Collectors.toCollection(TreeSet::new));
		out.println("types " + types.size());
		out.println("objects " + call.objects().size());
		call.entries()
			.stream()
			.filter(Entry::isAttemptOfStore)
			.findFirst()
			.ifPresent((attempt) -> out.println("frames " + attempt.frames()));
		out.println("methods " + methods.size());
		counts(methods.stream().map(Method::packageName))
			.forEach((name, count) -> out.println(count + " methods of " + name));
		counts(call.objects().stream()).forEach((name, count) -> out.println(count + " objects of " + name));
		types.forEach((type) -> out.println("type " + type));
		methods.stream().map(Method::text).sorted().forEach(out::println);
	}

	private static List<Method> methods(Call call) {
		CodeLengths lengths = new CodeLengths();
		return call.entries()
			.stream()
			.map((entry) -> new Method(entry.type(), entry.method(), entry.descriptor(),
					lengths.of(entry.type(), entry.method(), entry.descriptor())))
			.distinct()
			.filter((method) -> method.codeLength() >= MIN_CODE_LENGTH)
			.toList();
	}

	private static Map<String, Long> counts(Stream<String> names) {
		return names.collect(Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
	}

	private record Method(String type, String name, String descriptor, int codeLength) {

		String packageName() {
			return this.type.substring(0, this.type.lastIndexOf('.'));
		}

		String text() {
			return "method %s.%s, %d bytes".formatted(this.type, this.name, this.codeLength);
		}

	}

	/** Without meter and observation registries. */
	@SpringBootConfiguration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
			DistlockAutoConfiguration.class, DistlockAopAutoConfiguration.class, DistlockLocalAutoConfiguration.class,
			DistlockRedisAutoConfiguration.class, DistlockTransactionAutoConfiguration.class })
	@Import(Stock.class)
	static class Application {

	}

	static class Stock {

		@DistributedLock(name = "stock", key = "#item")
		public void sell(String item) {
		}

	}

	/**
	 * The length of the byte code of each method, in bytes, as the compiler wrote it to
	 * the class file.
	 */
	static final class CodeLengths {

		private final Map<String, Map<String, Integer>> byType = new HashMap<>();

		int of(String type, String method, String descriptor) {
			return Objects
				.requireNonNull(this.byType.computeIfAbsent(type, CodeLengths::read).get(method + descriptor));
		}

		private static Map<String, Integer> read(String type) {
			Map<String, Integer> lengths = new HashMap<>();
			String file = "/" + type.replace('.', '/') + ".class";
			try (InputStream in = Objects.requireNonNull(CodeLengths.class.getResourceAsStream(file))) {
				new ClassReader(in).accept(new Methods(lengths), 0);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			return lengths;
		}

		/**
		 * Writes each method again, since only a writer knows the positions in the code.
		 */
		private static final class Methods extends ClassVisitor {

			private final Map<String, Integer> lengths;

			Methods(Map<String, Integer> lengths) {
				super(Opcodes.ASM9, new ClassWriter(0));
				this.lengths = lengths;
			}

			@Override
			public MethodVisitor visitMethod(int access, String name, String descriptor, @Nullable String signature,
					String @Nullable [] exceptions) {
				return new MethodVisitor(Opcodes.ASM9,
						super.visitMethod(access, name, descriptor, signature, exceptions)) {

					@Override
					public void visitMaxs(int maxStack, int maxLocals) {
						Label end = new Label();
						visitLabel(end);
						Methods.this.lengths.put(name + descriptor, end.getOffset());
						super.visitMaxs(maxStack, maxLocals);
					}

				};
			}

		}

	}

}
