package io.github.distlock.aot;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.springframework.aot.AotDetector;
import org.springframework.aot.agent.RecordedInvocation;
import org.springframework.aot.agent.RecordedInvocationsListener;
import org.springframework.aot.agent.RecordedInvocationsPublisher;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.boot.SpringApplication;
import org.springframework.cglib.core.ReflectUtils;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Starts the application, uses all its features, and prints the reflective calls for
 * which there is no hint.
 */
final class AheadOfTimeRun {

	private static final PrintStream OUT = System.out;

	private AheadOfTimeRun() {
	}

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
			new Features(context).useAll();
			OUT.println("used every feature");
			OUT.println("proxy " + context.getBean(StoreWork.class).getClass().getName());
		}
		catch (Throwable ex) {
			ex.printStackTrace(OUT);
			OUT.println("checked");
			System.exit(1);
		}
		RecordedInvocationsPublisher.removeListener(listener);
		OUT.println("recorded " + recorded.size());
		generated.forEach((name) -> OUT.println("generated " + name));
		RuntimeHints hints = ReachabilityMetadata.read(AheadOfTimeRun.class.getClassLoader());
		UnhintedCalls.of(recorded, hints).forEach((call) -> OUT.println("unhinted " + call));
		OUT.println("checked");
		System.exit(0);
	}

}
