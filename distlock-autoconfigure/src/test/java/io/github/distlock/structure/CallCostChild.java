package io.github.distlock.structure;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.distlock.DistributedLock;
import io.github.distlock.autoconfigure.DistlockAopAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockLocalAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockRedisAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockTransactionAutoConfiguration;
import io.github.distlock.structure.MethodEntries.Entry;
import net.bytebuddy.agent.ByteBuddyAgent;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/**
 * An application that calls one annotated method until all is warm, then records the
 * method entries of further calls and prints those of the middle one. A timer of a
 * background thread may run during some of the calls.
 */
final class CallCostChild {

	private static final int CALLS = 51;

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
			List<List<Entry>> calls = new ArrayList<>();
			for (int call = 0; call < CALLS; call++) {
				calls.add(MethodEntries.during(() -> stock.sell("item")));
			}
			calls.sort(Comparator.comparing(List::size));
			print(calls.get(CALLS / 2), out);
			out.println("entries of all calls: " + calls.stream().map(List::size).toList());
			out.println("end");
		}
	}

	private static void print(List<Entry> entries, PrintStream out) {
		out.println("calls " + entries.size());
		out.println("types " + entries.stream().map(Entry::topLevelType).distinct().count());
		entries.stream()
			.filter(Entry::isAttemptOfStore)
			.findFirst()
			.ifPresent((attempt) -> out.println("frames " + attempt.frames()));
		counts(entries, Entry::packageName).forEach((name, count) -> out.println(name + " " + count));
		counts(entries, Entry::thread).forEach((name, count) -> out.println("thread " + name + " " + count));
	}

	private static Map<String, Long> counts(List<Entry> entries, Function<Entry, String> group) {
		return entries.stream().collect(Collectors.groupingBy(group, TreeMap::new, Collectors.counting()));
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

}
