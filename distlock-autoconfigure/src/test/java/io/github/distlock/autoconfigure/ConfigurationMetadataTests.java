package io.github.distlock.autoconfigure;

import java.net.URL;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import io.github.distlock.aop.AopMode;
import io.github.distlock.registry.RegistrySettings.ReleaseMode;
import io.github.distlock.testing.Unchecked;
import io.github.distlock.transaction.OnActiveTransaction;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.core.io.UrlResource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The configuration metadata, which is the help of an IDE for the properties.
 */
class ConfigurationMetadataTests {

	/** Optional properties. */
	private static final Set<String> WITHOUT_DEFAULT = Set.of("distlock.composite", "distlock.max-hold-time",
			"distlock.redis.connection-factory", "distlock.aop.executor", "distlock.jdbc.data-source",
			"distlock.redlock.nodes", "distlock.zookeeper.connect-string", "distlock.jdbc.schema",
			"distlock.max-waiting", "management.endpoint.distlocks.roles", "distlock.transaction.fence-managers");

	private final Map<String, Object> metadata = JsonParserFactory.getJsonParser().parseMap(read());

	@Test
	void everyPropertyHasADescriptionAndADefault() {
		assertThat(list("properties")).allSatisfy((property) -> {
			assertThat(property.get("description")).asString().endsWith(".").hasSizeGreaterThan(10);
			if (!WITHOUT_DEFAULT.contains(property.get("name"))) {
				assertThat(property.get("defaultValue")).as("default of %s", property.get("name")).isNotNull();
			}
		});
	}

	@Test
	void everyHintIsForAnExistingProperty() {
		assertThat(list("hints")).isNotEmpty()
			.extracting((hint) -> hint.get("name"))
			.isSubsetOf(list("properties").stream().map((property) -> property.get("name")).toList());
	}

	@Test
	void everyValueOfAnEnumIsDescribed() {
		assertThat(hintedValues("distlock.backend")).isEqualTo(names(Backend.values()));
		assertThat(hintedValues("distlock.on-lost")).isEqualTo(names(DistlockProperties.OnLost.values()));
		assertThat(hintedValues("distlock.release")).isEqualTo(names(ReleaseMode.values()));
		assertThat(hintedValues("management.endpoint.distlocks.show-values"))
			.isEqualTo(Arrays.stream(Show.values()).map(ConfigurationMetadataTests::dashed).toList());
		assertThat(hintedValues("distlock.aop.mode")).isEqualTo(names(AopMode.values()));
		assertThat(hintedValues("distlock.transaction.on-active")).isEqualTo(names(OnActiveTransaction.values()));
	}

	private List<String> hintedValues(String property) {
		Map<String, Object> hint = list("hints").stream()
			.filter((candidate) -> property.equals(candidate.get("name")))
			.findFirst()
			.orElseThrow();
		List<Map<String, Object>> values = list(hint, "values");
		assertThat(values).allSatisfy((value) -> assertThat(value.get("description")).asString().isNotBlank());
		return values.stream().map((value) -> String.valueOf(value.get("value"))).toList();
	}

	private static List<String> names(Enum<?>[] values) {
		return Arrays.stream(values).map((value) -> value.name().toLowerCase(Locale.ROOT)).toList();
	}

	private static String dashed(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	private List<Map<String, Object>> list(String name) {
		return list(this.metadata, name);
	}

	@SuppressWarnings({ "unchecked", "NullAway" })
	private static List<Map<String, Object>> list(Map<String, Object> parent, String name) {
		return (List<Map<String, Object>>) parent.get(name);
	}

	private static String read() {
		// Many jars contain such a file: read the one next to the classes of this module.
		URL classes = DistlockProperties.class.getProtectionDomain().getCodeSource().getLocation();
		return Unchecked.call(() -> new UrlResource(classes + "META-INF/spring-configuration-metadata.json")
			.getContentAsString(UTF_8));
	}

}
