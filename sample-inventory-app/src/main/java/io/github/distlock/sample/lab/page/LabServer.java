package io.github.distlock.sample.lab.page;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.github.distlock.sample.lab.launcher.LabSettings;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.support.GenericApplicationContext;

/**
 * Starts the lab in the launcher's JVM.
 */
public final class LabServer {

	/** Of the properties of the command line, those that are not of the nodes only. */
	private static final Set<String> HANDED_ON = Set.of("sample.allowed-hosts");

	private LabServer() {
	}

	/**
	 * Start the lab, and return when the page is served.
	 * @param settings what the launcher provides
	 */
	public static void start(LabSettings settings) {
		Map<String, Object> properties = new TreeMap<>();
		settings.properties().forEach((name, value) -> {
			if (HANDED_ON.contains(name)) {
				properties.put(name, value);
			}
		});
		properties.put("server.port", settings.port());
		properties.put("sample.orders.inventory-nodes",
				settings.nodes().stream().map(Object::toString).collect(Collectors.joining(",")));
		properties.put("logging.file.name", settings.logs().resolve("lab.log").toString());
		String[] arguments = properties.entrySet()
			.stream()
			.map((property) -> "--%s=%s".formatted(property.getKey(), property.getValue()))
			.toArray(String[]::new);
		new SpringApplicationBuilder(LabApplication.class).profiles("lab").initializers((context) -> {
			GenericApplicationContext generic = (GenericApplicationContext) context;
			generic.registerBean(LabSettings.class, () -> settings);
		}).run(arguments);
	}

}
