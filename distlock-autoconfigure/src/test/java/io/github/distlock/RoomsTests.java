package io.github.distlock;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The room table of the design: which package may use which.
 */
class RoomsTests {

	private static final String BASE = "io.github.distlock";

	private static final Map<String, Set<String>> MAY_USE = new TreeMap<>(Map.of("", Set.of(), "backend", Set.of(""),
			"backend.redis", Set.of("backend", ""), "waiting", Set.of("backend", ""), "renewal", Set.of("backend", ""),
			"registry", Set.of("waiting", "renewal", "backend", ""), "aop", Set.of("", "transaction"), "transaction",
			Set.of(""), "metrics", Set.of(""), "autoconfigure",
			Set.of("", "backend", "backend.redis", "waiting", "renewal", "registry", "aop", "transaction", "metrics")));

	private final JavaClasses classes = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(BASE);

	@Test
	void everyRoomIsInTheTable() {
		assertThat(this.classes.stream().map(RoomsTests::room).distinct()).isSubsetOf(MAY_USE.keySet());
	}

	@Test
	void noRoomReachesAroundAnother() {
		List<String> trespasses = new ArrayList<>();
		for (JavaClass type : this.classes) {
			for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
				JavaClass target = dependency.getTargetClass().getBaseComponentType();
				if (target.getPackageName().startsWith(BASE) && !room(target).equals(room(type))
						&& !MAY_USE.getOrDefault(room(type), Set.of()).contains(room(target))) {
					trespasses.add(dependency.getDescription());
				}
			}
		}
		assertThat(trespasses).isEmpty();
	}

	@Test
	void onlyTheAutoconfigureRoomKnowsSpringBoot() {
		assertUsedOnlyBy("org.springframework.boot", Set.of("autoconfigure"));
	}

	@Test
	void onlyTheRedisRoomAndItsConfigurationKnowRedis() {
		assertUsedOnlyBy("org.springframework.data.redis", Set.of("backend.redis", "autoconfigure"));
		assertUsedOnlyBy("io.lettuce", Set.of("backend.redis", "autoconfigure"));
	}

	@Test
	void onlyTheMetricsRoomAndItsConfigurationKnowMicrometer() {
		assertUsedOnlyBy("io.micrometer", Set.of("metrics", "autoconfigure"));
	}

	private void assertUsedOnlyBy(String foreign, Set<String> rooms) {
		List<String> users = this.classes.stream()
			.filter((type) -> !rooms.contains(room(type)))
			.flatMap((type) -> type.getDirectDependenciesFromSelf().stream())
			.filter((dependency) -> dependency.getTargetClass().getPackageName().startsWith(foreign))
			.map(Dependency::getDescription)
			.toList();
		assertThat(users).isEmpty();
	}

	private static String room(JavaClass type) {
		String name = type.getPackageName();
		return (name.length() > BASE.length()) ? name.substring(BASE.length() + 1) : "";
	}

}
