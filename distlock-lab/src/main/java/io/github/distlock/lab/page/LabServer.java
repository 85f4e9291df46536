package io.github.distlock.lab.page;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.util.ClassUtils;

/**
 * Starts the lab in the launcher's JVM.
 */
public final class LabServer {

	/** Of the properties of the command line, those that are not of the nodes only. */
	private static final Set<String> PASSED_ON = Set.of("sample.allowed-hosts");

	private LabServer() {
	}

	/**
	 * Start the lab, and return when the page is served.
	 * @param settings what the launcher provides
	 */
	public static void start(LabSettings settings) {
		Map<String, Object> properties = new TreeMap<>();
		settings.properties().forEach((name, value) -> {
			if (PASSED_ON.contains(name)) {
				properties.put(name, value);
			}
		});
		properties.put("server.port", settings.port());
		// Its own settings, not those of the program.
		properties.put("spring.config.name", "lab");
		properties.put("shop.nodes", settings.nodes().stream().map(Object::toString).collect(Collectors.joining(",")));
		properties.put("logging.file.name", settings.logs().resolve("lab.log").toString());
		String[] arguments = properties.entrySet()
			.stream()
			.map((property) -> "--%s=%s".formatted(property.getKey(), property.getValue()))
			.toArray(String[]::new);
		new SpringApplicationBuilder(LabApplication.class, type(settings.orderService())).profiles("orders")
			.initializers((context) -> {
				GenericApplicationContext generic = (GenericApplicationContext) context;
				generic.registerBean(LabSettings.class, () -> settings);
			})
			.run(arguments);
	}

	private static Class<?> type(String name) {
		return ClassUtils.resolveClassName(name, LabServer.class.getClassLoader());
	}

}
