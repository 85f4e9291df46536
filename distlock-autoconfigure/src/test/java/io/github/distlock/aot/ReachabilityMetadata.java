package io.github.distlock.aot;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeHint;
import org.springframework.aot.hint.TypeReference;
import org.springframework.core.io.ClassPathResource;

/**
 * Reads the file from which GraalVM knows what an application accesses by reflection.
 */
final class ReachabilityMetadata {

	private static final String FILE = "META-INF/native-image/io.github.distlock/ahead-of-time/reachability-metadata.json";

	private static final Map<String, MemberCategory> CATEGORIES = Map.of("allDeclaredConstructors",
			MemberCategory.INVOKE_DECLARED_CONSTRUCTORS, "allPublicConstructors",
			MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS, "allDeclaredMethods", MemberCategory.INVOKE_DECLARED_METHODS,
			"allPublicMethods", MemberCategory.INVOKE_PUBLIC_METHODS, "allDeclaredFields",
			MemberCategory.ACCESS_DECLARED_FIELDS, "allPublicFields", MemberCategory.ACCESS_PUBLIC_FIELDS,
			"unsafeAllocated", MemberCategory.UNSAFE_ALLOCATED);

	private final RuntimeHints hints = new RuntimeHints();

	private ReachabilityMetadata() {
	}

	static RuntimeHints read(ClassLoader loader) {
		try (InputStream in = new ClassPathResource(FILE, loader).getInputStream()) {
			ReachabilityMetadata metadata = new ReachabilityMetadata();
			metadata.read(JsonMapper.shared().readTree(in));
			return metadata.hints;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void read(JsonNode root) {
		root.path("reflection").forEach((entry) -> {
			JsonNode type = entry.path("type");
			if (type.isString()) {
				this.hints.reflection()
					.registerType(TypeReference.of(type.asString()), (builder) -> readType(builder, entry));
			}
			else {
				this.hints.proxies().registerJdkProxy(types(type.path("proxy")).toArray(TypeReference[]::new));
			}
		});
		root.path("resources").forEach((entry) -> {
			if (entry.has("glob")) {
				this.hints.resources().registerPattern(entry.path("glob").asString());
			}
		});
	}

	private static void readType(TypeHint.Builder type, JsonNode entry) {
		CATEGORIES.forEach((name, category) -> {
			if (entry.path(name).asBoolean(false)) {
				type.withMembers(category);
			}
		});
		if (entry.path("allDeclaredFields").asBoolean(false)) {
			// They include the public fields of the type itself.
			type.withMembers(MemberCategory.ACCESS_PUBLIC_FIELDS);
		}
		entry.path("fields").forEach((field) -> type.withField(field.path("name").asString()));
		entry.path("methods").forEach((method) -> {
			String name = method.path("name").asString();
			List<TypeReference> parameters = types(method.path("parameterTypes")).toList();
			if (name.equals("<init>")) {
				type.withConstructor(parameters, ExecutableMode.INVOKE);
			}
			else {
				type.withMethod(name, parameters, ExecutableMode.INVOKE);
			}
		});
	}

	private static Stream<TypeReference> types(JsonNode names) {
		return StreamSupport.stream(names.spliterator(), false).map((name) -> TypeReference.of(name.asString()));
	}

}
