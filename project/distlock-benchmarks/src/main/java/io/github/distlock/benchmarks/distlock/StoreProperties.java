package io.github.distlock.benchmarks.distlock;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.distlock.benchmarks.contenders.StoreAddress;
import io.github.distlock.benchmarks.contenders.StoreAddress.Kind;

/**
 * The properties by which an application names its store.
 */
final class StoreProperties {

	/** Without a database there is nothing to configure it by. */
	private static final String DATA_SOURCE = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration";

	private StoreProperties() {
	}

	static Map<String, String> of(StoreAddress store) {
		Map<String, String> properties = new LinkedHashMap<>();
		switch (store.kind()) {
			case REDIS, REPLICATED_REDIS -> redis(store, properties);
			case SECURED_REDIS -> {
				redis(store, properties);
				properties.put("spring.data.redis.ssl.bundle", "redis");
				properties.put("spring.ssl.bundle.pem.redis.truststore.certificate", "file:" + store.parts().get(1));
			}
			case REDLOCK -> redlock(store, properties);
			case JDBC -> jdbc(store.parts(), properties);
			case ZOOKEEPER -> {
				properties.put("distlock.backend", "zookeeper");
				properties.put("distlock.zookeeper.connect-string", store.parts().get(0));
			}
			case NONE -> {
				properties.put("distlock.backend", "local");
				// It warns that it excludes no other JVM, which is known here.
				properties.put("logging.level.io.github.distlock", "error");
			}
		}
		return properties;
	}

	/**
	 * Return what an application with that store does not configure.
	 * @param store the store
	 * @return names of auto-configurations
	 */
	static List<String> excluded(StoreAddress store) {
		return (store.kind() == Kind.JDBC) ? List.of() : List.of(DATA_SOURCE);
	}

	private static void redis(StoreAddress store, Map<String, String> properties) {
		properties.put("spring.data.redis.host", store.redis(0).host());
		properties.put("spring.data.redis.port", Integer.toString(store.redis(0).port()));
	}

	private static void redlock(StoreAddress store, Map<String, String> properties) {
		properties.put("distlock.backend", "redlock");
		for (int node = 0; node < store.parts().size(); node++) {
			String prefix = "distlock.redlock.nodes[" + node + "].";
			properties.put(prefix + "host", store.redis(node).host());
			properties.put(prefix + "port", Integer.toString(store.redis(node).port()));
		}
	}

	private static void jdbc(List<String> parts, Map<String, String> properties) {
		properties.put("distlock.backend", "jdbc");
		properties.put("distlock.jdbc.initialize-schema", "always");
		properties.put("spring.datasource.url", parts.get(0));
		properties.put("spring.datasource.username", parts.get(1));
		properties.put("spring.datasource.password", parts.get(2));
	}

}
