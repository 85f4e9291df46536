package io.github.distlock.structure;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
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
import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.RedisTestServer;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What one warm, uncontended, annotated call costs, from the interceptor to the return
 * with the lock released, on all threads. The figures do not depend on the machine.
 * <ul>
 * <li>{@code types}: top-level types of the library with an entered method, constructor
 * or lambda.</li>
 * <li>{@code objects}: objects of the library's classes created. They are recorded at the
 * end of the constructor of their own class, not at the end of the constructors of its
 * superclasses. The objects that the JVM makes of lambdas and method references have
 * hidden classes, which no agent sees: they are not counted, and arrays neither.</li>
 * <li>{@code frames}: stack frames from the interceptor to the store's attempt, both
 * included.</li>
 * <li>{@code methods}: different methods entered that are more than an accessor, a
 * delegation or another one-liner: the byte code in the class file has at least 25 bytes.
 * A method that is entered several times counts once. Constructors, bodies of lambdas and
 * methods that the compiler adds are methods like others.</li>
 * </ul>
 * The log has all figures, the types, the classes of the objects, and the methods.
 */
class CallCostTests {

	/**
	 * The limits, and the figures of commit 86682c31 counted in the same way. The limits
	 * are the figures of today: a commit that makes the call cheaper lowers them.
	 */
	private static final String BUDGETS = """
			figure   Redis  at 86682c31  local  at 86682c31
			types       63           77     54           66
			objects     26           30     23           28
			frames      12           16     12           15
			methods    165          176    145          154
			""";

	private static final int REDIS = 1;

	private static final int LOCAL = 3;

	@Test
	void anAnnotatedCallOnRedisStaysWithinItsBudget() throws Exception {
		try (RedisTestServer redis = RedisTestServer.start()) {
			assertWithin(REDIS, "--spring.data.redis.port=" + redis.port());
		}
	}

	@Test
	void anAnnotatedCallOnTheLocalStoreStaysWithinItsBudget() throws Exception {
		assertWithin(LOCAL, "--distlock.backend=local");
	}

	private static void assertWithin(int column, String store) throws Exception {
		Path agent = Path.of(ByteBuddyAgent.class.getProtectionDomain().getCodeSource().getLocation().toURI());
		try (ChildJvm child = ChildJvm.start(List.of("-javaagent:" + agent), CallCostTests.class, store)) {
			List<String> lines = child.linesBefore("end");
			LogFactory.getLog(CallCostTests.class).info("One call, " + store + "\n" + String.join("\n", lines));
			assertThat(BUDGETS.lines().skip(1)).allSatisfy((row) -> {
				String[] cells = row.split(" +");
				assertWithin(cells[0], Integer.parseInt(cells[column]), store, lines);
			});
		}
	}

	private static void assertWithin(String figure, int limit, String store, List<String> lines) {
		int counted = lines.stream()
			.filter((line) -> line.startsWith(figure + " "))
			.mapToInt((line) -> Integer.parseInt(line.substring(figure.length() + 1)))
			.sum();
		assertThat(counted)
			.as("%s of one call with %s: %d above the budget. Make the call cheaper, or raise the budget in this "
					+ "test and say in the commit message what for.", figure, store, counted - limit)
			.isBetween(1, limit);
	}

	private static final int CALLS = 51;

	/** Of a method that is more than an accessor, a delegation or another one-liner. */
	private static final int MIN_CODE_LENGTH = 25;

	/**
	 * An application that calls one annotated method until all is warm, then records
	 * further calls and prints the figures of the one with the middle number of method
	 * entries. A timer of a background thread may run during some of the calls.
	 */
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
		Map<String, Map<String, Integer>> lengths = new HashMap<>();
		return call.entries()
			.stream()
			.map((entry) -> new Method(entry.type(), entry.method(), entry.descriptor(),
					Objects.requireNonNull(lengths.computeIfAbsent(entry.type(), CallCostTests::codeLengths)
						.get(entry.method() + entry.descriptor()))))
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
	 * the class file. Each method is written again, since only a writer knows the
	 * positions in the code.
	 */
	private static Map<String, Integer> codeLengths(String type) {
		Map<String, Integer> lengths = new HashMap<>();
		String file = "/" + type.replace('.', '/') + ".class";
		try (InputStream in = Objects.requireNonNull(CallCostTests.class.getResourceAsStream(file))) {
			new ClassReader(in).accept(new ClassVisitor(Opcodes.ASM9, new ClassWriter(0)) {

				@Override
				public MethodVisitor visitMethod(int access, String name, String descriptor, @Nullable String signature,
						String @Nullable [] exceptions) {
					return new MethodVisitor(Opcodes.ASM9,
							super.visitMethod(access, name, descriptor, signature, exceptions)) {

						@Override
						public void visitMaxs(int maxStack, int maxLocals) {
							Label end = new Label();
							visitLabel(end);
							lengths.put(name + descriptor, end.getOffset());
							super.visitMaxs(maxStack, maxLocals);
						}

					};
				}

			}, 0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return lengths;
	}

}
