package io.github.distlock.autoconfigure;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

import javax.management.MBeanOperationInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Everything that an application shows: its exceptions, its endpoints over HTTP, and the
 * texts of its beans. No planted secret may be in it.
 */
final class PlantedSecrets {

	/** A part of each secret, in lower case. */
	static final String MARK = "pl4nted";

	private final Map<String, String> shown = new LinkedHashMap<>();

	/** Run an action that fails, and note the exception with its causes. */
	void failing(String action, Callable<?> call) {
		try {
			Object result = call.call();
			throw new AssertionError(action + " has not failed: " + result);
		}
		catch (Exception ex) {
			StringWriter text = new StringWriter();
			ex.printStackTrace(new PrintWriter(text));
			note("exception of " + action, text.toString());
		}
	}

	void note(String where, @Nullable Object text) {
		this.shown.merge(where, String.valueOf(text), String::concat);
	}

	/** Note the answers of all endpoints that need no parameter. */
	void endpoints(ConfigurableApplicationContext context) throws Exception {
		String url = "http://127.0.0.1:" + context.getEnvironment().getRequiredProperty("local.server.port")
				+ "/actuator";
		Map<String, Object> index = JsonParserFactory.getJsonParser().parseMap(get(url));
		for (Object link : ((Map<?, ?>) Objects.requireNonNull(index.get("_links"))).values()) {
			String target = String.valueOf(((Map<?, ?>) link).get("href"));
			if (!target.contains("{") && !target.contains("heapdump")) {
				note(target, get(target));
			}
		}
	}

	/** Note what all endpoints say over JMX, if they need no parameter. */
	void managementBeans() throws Exception {
		MBeanServer server = ManagementFactory.getPlatformMBeanServer();
		Set<ObjectName> names = server.queryNames(new ObjectName("org.springframework.boot:type=Endpoint,*"), null);
		assertThat(names).extracting((name) -> name.getKeyProperty("name")).contains("Configprops", "Env");
		for (ObjectName name : names) {
			for (MBeanOperationInfo operation : server.getMBeanInfo(name).getOperations()) {
				boolean reads = operation.getImpact() == MBeanOperationInfo.INFO
						&& !operation.getName().contains("eap");
				Class<?>[] optional = { Integer.class, String.class, String.class };
				if (reads && operation.getSignature().length == 0) {
					note(name.toString(), server.invoke(name, operation.getName(), new Object[0], new String[0]));
				}
				else if (operation.getName().equals("locks")) {
					note(name.toString(), server.invoke(name, "locks", new Object[optional.length],
							Arrays.stream(optional).map(Class::getName).toArray(String[]::new)));
				}
			}
		}
	}

	private static String get(String url) throws IOException, InterruptedException {
		return HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString())
			.body();
	}

	/** Note the texts of all beans of this library. */
	void beans(ConfigurableApplicationContext context) {
		for (String name : context.getBeanDefinitionNames()) {
			if (context.getBeanFactory().containsSingleton(name)) {
				Object bean = context.getBean(name);
				if (bean.getClass().getName().startsWith("io.github.distlock.")) {
					note("bean " + name, bean);
				}
			}
		}
	}

	/** Fail if a secret is in a text, and say where. */
	void assertHidden(CharSequence output) {
		note("output", output);
		this.shown.forEach(
				(where, text) -> assertThat(text.toLowerCase(Locale.ROOT).lines().filter((line) -> line.contains(MARK)))
					.as(where)
					.isEmpty());
	}

	/** Return what an endpoint has shown. */
	String at(String endpoint) {
		return this.shown.entrySet()
			.stream()
			.filter((entry) -> entry.getKey().endsWith("/actuator/" + endpoint))
			.map(Map.Entry::getValue)
			.collect(Collectors.joining());
	}

	static void resetLogging() {
		LoggingSystem.get(PlantedSecrets.class.getClassLoader()).setLogLevel("io.github.distlock", null);
	}

}
