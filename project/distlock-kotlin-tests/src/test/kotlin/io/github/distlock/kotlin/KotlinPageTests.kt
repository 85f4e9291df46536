package io.github.distlock.kotlin

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import java.nio.file.Path
import kotlin.io.path.extension
import kotlin.io.path.readText
import kotlin.io.path.walk

/** The Kotlin blocks of docs/kotlin.md are parts of the sources here, which compile and run. */
class KotlinPageTests {

    @Test
    fun `each block of the page is in a source of these tests`() {
        val sources = Path.of("src/test/kotlin").walk().filter { it.extension == "kt" }.map { lines(it.readText()) }.toList()
        val blocks = Regex("```kotlin\n(.*?)```", RegexOption.DOT_MATCHES_ALL)
            .findAll(Path.of("../../docs/kotlin.md").readText()).map { lines(it.groupValues[1]) }.toList()
        assertThat(blocks).hasSizeGreaterThan(3)
        assertThat(blocks).allSatisfy { block -> assertThat(sources).anyMatch { block in it } }
    }

    private fun lines(text: String): String = text.lines().map(String::trim).filter(String::isNotEmpty).joinToString("\n")

}
