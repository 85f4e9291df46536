package io.github.distlock.docs;

import java.io.IOException;
import java.io.StringReader;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.autoconfigure.DistlockProperties;
import io.github.distlock.autoconfigure.DistlocksEndpointProperties;
import io.github.distlock.autoconfigure.JdbcStoreProperties;
import io.github.distlock.autoconfigure.RedisStoreProperties;
import io.github.distlock.autoconfigure.RedlockStoreProperties;
import io.github.distlock.autoconfigure.ZooKeeperStoreProperties;
import io.github.distlock.test.AutoConfigureTestLocks;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.env.MapPropertySource;
import org.springframework.objenesis.SpringObjenesis;
import org.xml.sax.InputSource;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The configuration examples of all pages: each property exists and takes its value. The
 * Java examples compile: a block contains types (a source file), members (of a class that
 * extends {@code Example}) or statements. All blocks of code have a language, which
 * decides how they are tested.
 */
class BlockTests {

	/**
	 * Properties of modules of Spring Boot that are not on the class path of the tests.
	 */
	private static final List<String> OTHER_MODULES = List.of("management.tracing.", "management.opentelemetry.",
			"management.otlp.", "spring.security.", "junit.", "sample.");

	/** The properties of this library by their prefix. */
	private static final Map<String, Class<?>> OURS = Map.of("distlock", DistlockProperties.class, "distlock.jdbc",
			JdbcStoreProperties.class, "distlock.redis", RedisStoreProperties.class, "distlock.redlock",
			RedlockStoreProperties.class, "distlock.zookeeper", ZooKeeperStoreProperties.class,
			"management.endpoint.distlocks", DistlocksEndpointProperties.class);

	private static final PropertyMetadata METADATA = PropertyMetadata.read();

	@Test
	void eachPropertyOfAnExampleExistsAndTakesItsValue() throws IOException {
		List<String> errors = new ArrayList<>();
		int checked = 0;
		for (CodeBlock block : Pages.blocks()) {
			if (Set.of("yaml", "properties").contains(block.language()) && block.marks().isEmpty()) {
				errors.addAll(errors(block));
				checked++;
			}
		}
		assertThat(String.join("\n", errors)).isEmpty();
		assertThat(checked).isPositive();
	}

	@Test
	void onlyYamlOfOtherProgramsHasAMark() {
		assertThat(blocks("yaml")).flatExtracting(CodeBlock::marks).isSubsetOf("kubernetes", "compose", "prometheus");
	}

	@Test
	void anErrorNamesThePageAndTheProperty() throws IOException {
		assertThat(errors(new CodeBlock("page.md", 7, "yaml", true, """
				distlock:
				  lease: 3s
				  wait-time: soon
				  redlock:
				    nodes:
				      - hots: a
				spring.data.redis.hots: a
				logging.level.io.github.distlock: debug
				management.endpoint.health.show-details: sometimes
				""")).toString())
			.contains("page.md:7", "distlock.lease ", "distlock.wait-time", "distlock.redlock.nodes[0].hots",
					"spring.data.redis.hots", "management.endpoint.health.show-details")
			.doesNotContain("logging.level");
		assertThat(errors(new CodeBlock("page.md", 7, "yaml", true, "distlock: [ a"))).singleElement()
			.asString()
			.contains("page.md:7");
	}

	private static List<String> errors(CodeBlock block) throws IOException {
		List<String> errors = new ArrayList<>();
		for (Map<String, Object> document : documents(block, errors)) {
			MapConfigurationPropertySource source = new MapConfigurationPropertySource(document);
			Binder binder = new Binder(source);
			OURS.forEach((prefix, type) -> {
				try {
					binder.bindOrCreate(prefix, Bindable.of(type), prefix.equals("distlock.redlock")
							? new NoUnboundElementsBindHandler(BindHandler.DEFAULT) : BindHandler.DEFAULT);
				}
				catch (RuntimeException ex) {
					errors.add(block.place() + ": " + message(ex));
				}
			});
			document.forEach((key, value) -> {
				String problem = problem(binder, key, String.valueOf(value));
				if (problem != null) {
					errors.add(block.place() + ": " + key + " " + problem);
				}
			});
		}
		return errors;
	}

	private static @Nullable String problem(Binder binder, String key, String value) {
		if (OTHER_MODULES.stream().anyMatch(key::startsWith)) {
			return null;
		}
		JsonNode property = METADATA.find(key).orElse(null);
		if (property == null) {
			return "is not a property";
		}
		if (PropertyMetadata.deprecation(property) != null || value.contains("${")) {
			return PropertyMetadata.deprecation(property);
		}
		String type = property.path("type").asString("");
		try {
			if (!type.contains("<") && !type.endsWith("[]")) {
				binder.bind(key, ClassUtils.forName(type, null));
			}
			return null;
		}
		catch (Exception | LinkageError ex) {
			return "does not take '" + value + "': " + message(ex);
		}
	}

	private static String message(Throwable ex) {
		StringBuilder message = new StringBuilder(String.valueOf(ex.getMessage()));
		for (Throwable cause = ex.getCause(); cause != null; cause = cause.getCause()) {
			message.append(": ").append(cause.getMessage());
		}
		return message.toString();
	}

	private static List<Map<String, Object>> documents(CodeBlock block, List<String> errors) throws IOException {
		List<Map<String, Object>> documents = new ArrayList<>();
		try {
			if (block.language().equals("properties")) {
				Properties properties = new Properties();
				properties.load(new StringReader(block.text()));
				Map<String, Object> document = new LinkedHashMap<>();
				properties.stringPropertyNames().forEach((name) -> document.put(name, properties.getProperty(name)));
				documents.add(document);
			}
			else {
				for (PropertySource<?> source : new YamlPropertySourceLoader().load("page",
						new ByteArrayResource(block.text().getBytes(StandardCharsets.UTF_8)))) {
					Map<String, Object> document = new LinkedHashMap<>();
					for (String name : ((EnumerablePropertySource<?>) source).getPropertyNames()) {
						document.put(name, String.valueOf(source.getProperty(name)));
					}
					documents.add(document);
				}
			}
		}
		catch (RuntimeException ex) {
			errors.add(block.place() + ": " + message(ex));
		}
		return documents;
	}

	private static final Set<String> LANGUAGES = Set.of("java", "yaml", "properties", "sql", "xml", "json", "shell",
			"console", "http", "text", "mermaid", "lua", "promql", "docker", "kotlin");

	@Test
	void eachBlockIsFencedAndHasALanguage() {
		assertThat(Pages.blocks()).filteredOn((block) -> !block.fenced() || !LANGUAGES.contains(block.language()))
			.as("Blocks that are indented or have no known language")
			.isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "yaml", "xml", "json" })
	void eachBlockIsWellFormed(String language) {
		assertThat(blocks(language)).allSatisfy((block) -> assertThatNoException().as(block.place()).isThrownBy(() -> {
			switch (language) {
				case "yaml" -> assertThat(new Yaml().loadAll(block.text())).hasSizeGreaterThan(0);
				case "xml" -> DocumentBuilderFactory.newInstance()
					.newDocumentBuilder()
					.parse(new InputSource(new StringReader("<page>" + block.text() + "</page>")));
				default -> JsonMapper.shared().readTree(block.text());
			}
		}));
	}

	private static List<CodeBlock> blocks(String language) {
		return Pages.blocks().stream().filter((block) -> block.language().equals(language)).toList();
	}

	/**
	 * Code of a library that is not on the class path, to be replaced by the next block.
	 */
	private static final String BEFORE = "before";

	@Test
	void eachJavaBlockCompilesAndIsAcceptedByTheStartup(@TempDir Path classes) throws Exception {
		List<CodeBlock> blocks = blocks("java").stream().filter((block) -> !block.marks().contains(BEFORE)).toList();
		assertThat(blocks).hasSizeGreaterThan(1);
		assertThat(String.join("\n", JavaBlocks.errors(blocks, classes))).isEmpty();
		assertThat(start(classes)).isGreaterThan(10);
	}

	@Test
	void anAnnotationThatTheStartupRefusesIsFound(@TempDir Path classes) {
		assertThat(JavaBlocks.errors(List.of(new CodeBlock("docs/page.md", 7, "java", true, """
				@DistributedLock(key = "'stock-' + #article", waitTime = "2 sec")
				public void deduct(String article) { … }
				""")), classes)).isEmpty();
		assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> start(classes))
			.havingCause()
			.isInstanceOf(LockDefinitionException.class)
			.withMessageContaining("docs_page.")
			.withMessageContaining("Line7")
			.withMessageContaining("2 sec");
	}

	@Test
	void onlyThePageAboutMigrationHasBlocksThatAreNotCompiled() {
		Map<String, Long> marked = blocks("java").stream()
			.flatMap((block) -> block.marks().stream().map((mark) -> block.page() + " " + mark))
			.collect(Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
		assertThat(marked.keySet()).isSubsetOf("docs/migration.md before");
		assertThat(marked.values()).allSatisfy((count) -> assertThat(count).isLessThanOrEqualTo(8));
	}

	private static final Map<String, Object> PROPERTIES = Map.of("distlock.backend", "redis",
			"distlock.zookeeper.enabled", "true", "distlock.jdbc.enabled", "true", "distlock.local.enabled", "true",
			"distlock.composite", "redis, zookeeper");

	/**
	 * Start an application for each folder of classes. Returns the number of classes with
	 * locks.
	 */
	private static int start(Path classes) throws IOException {
		int found = 0;
		try (Stream<Path> folders = Files.list(classes)) {
			for (Path folder : folders.sorted().toList()) {
				found += startOne(folder);
			}
		}
		return found;
	}

	private static int startOne(Path folder) throws IOException {
		PageCode code = PageCode.load(folder);
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			List<Class<?>> locked = code.types()
				.stream()
				.filter((type) -> !type.isInterface() && !Modifier.isAbstract(type.getModifiers()) && isLocked(type))
				.toList();
			context.setClassLoader(code.loader());
			context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("page", PROPERTIES));
			context.register(Application.class);
			for (Class<?> type : locked) {
				RootBeanDefinition definition = new RootBeanDefinition(type);
				definition.setInstanceSupplier(() -> new SpringObjenesis().newInstance(type));
				context.registerBeanDefinition(type.getName(), definition);
			}
			context.refresh();
			return locked.size();
		}
	}

	private static boolean isLocked(Class<?> type) {
		return AnnotatedElementUtils.hasAnnotation(type, DistributedLock.class)
				|| Arrays.stream(type.getDeclaredMethods())
					.anyMatch((method) -> !method.isSynthetic()
							&& MergedAnnotations.from(method, MergedAnnotations.SearchStrategy.TYPE_HIERARCHY)
								.isPresent(DistributedLock.class));
	}

	@AutoConfigureTestLocks
	static class Application {

	}

}
